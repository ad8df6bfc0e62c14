import assert from 'node:assert/strict';
import type { Log } from '../../../../src/log';
import { channelLog } from '../../../../src/vscode/editor/log';
import { RecordingLog } from '../../../support/recordingLog';

const LEVELS: readonly (keyof Log)[] = ['error', 'warn', 'info', 'debug', 'trace'];

describe('the log in the editor', () => {
  it('writes each message into the channel, at its level', () => {
    const channel = new RecordingLog();
    const log = channelLog(channel);
    for (const level of LEVELS) log[level](`to ${level}`);
    assert.deepEqual(
      channel.lines,
      LEVELS.map((level) => ({ level, message: `to ${level}` })),
    );
  });

  it('throws nothing where the editor has closed the channel, as it does while a window ends', () => {
    const closed = (): never => {
      throw new Error('Channel has been closed');
    };
    const log = channelLog({ error: closed, warn: closed, info: closed, debug: closed, trace: closed });
    for (const level of LEVELS) {
      assert.doesNotThrow(() => {
        log[level]('a message');
      });
    }
  });
});
