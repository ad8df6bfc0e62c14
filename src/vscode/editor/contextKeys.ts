import * as vscode from 'vscode';
import { type Log, safeTrace } from '../../log';

/** Sets keys that the manifest's conditions name. A failure is logged. */
export function contextKeys(log: Log): (key: string, value: boolean) => void {
  return (key, value) => {
    vscode.commands.executeCommand('setContext', key, value).then(undefined, (error: unknown) => {
      log.warn(`Setting a context key failed. ${safeTrace(error)}`);
    });
  };
}
