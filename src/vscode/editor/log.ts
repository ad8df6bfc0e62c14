import type * as vscode from 'vscode';
import type { Log } from '../../log';

/** The extension's output channel as the parts see it. Its level is the person's to choose, in the editor. */
export function channelLog(channel: vscode.LogOutputChannel): Log {
  return {
    error: (message) => {
      channel.error(message);
    },
    warn: (message) => {
      channel.warn(message);
    },
    info: (message) => {
      channel.info(message);
    },
    debug: (message) => {
      channel.debug(message);
    },
    trace: (message) => {
      channel.trace(message);
    },
  };
}
