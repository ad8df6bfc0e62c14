import assert from 'node:assert/strict';
import { channelLog, codeOf, type Log, safeTrace } from '../../src/log';
import { RecordingLog } from '../support/recordingLog';

/** Guards that the log has what's needed to find a fault, and no message that might hold a secret. */
describe('an error for the log', () => {
  it('has its type and stack, but not its message', () => {
    const trace = safeTrace(new RangeError('a secret\n    at secret (/a/b:1:2)'));
    assert.match(trace, /^RangeError\n {2}at /);
    assert.ok(!trace.includes('secret'));
    assert.equal(safeTrace('a secret'), 'string');
  });

  it('has the system’s code, if that’s text', () => {
    const errors = [Object.assign(new Error(), { code: 'EIO' }), Object.assign(new Error(), { code: 1 }), 'EIO'];
    assert.deepEqual(errors.map(codeOf), ['EIO', 'unknown', 'unknown']);
  });
});

const LEVELS: readonly (keyof Log)[] = ['error', 'warn', 'info', 'debug', 'trace'];

describe('the log over an output channel', () => {
  it('writes each message into the channel, at its level', () => {
    const channel = new RecordingLog();
    const log = channelLog(channel);
    for (const level of LEVELS) log[level](`to ${level}`);
    assert.deepEqual(
      channel.lines,
      LEVELS.map((level) => ({ level, message: `to ${level}` })),
    );
  });

  it('throws nothing if the editor has closed the channel, as it does while a window ends', () => {
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
