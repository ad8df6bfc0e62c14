import type * as vscode from 'vscode';
import type { Log } from '../../log';

/**
 * The extension's output channel as the parts see it. Its level is the person's to choose, in the editor.
 *
 * Nothing is thrown: the editor closes the channel as soon as a window begins to end, while the answer of a refresh may
 * still be on its way to the disk, and a line that can't be written must not keep it from there.
 */
export function channelLog(channel: Pick<vscode.LogOutputChannel, keyof Log>): Log {
  const to =
    (level: keyof Log) =>
    (message: string): void => {
      try {
        channel[level](message);
      } catch {
        // There is no channel any more, and nowhere else to tell it.
      }
    };
  return { error: to('error'), warn: to('warn'), info: to('info'), debug: to('debug'), trace: to('trace') };
}
