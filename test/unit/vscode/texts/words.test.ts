import assert from 'node:assert/strict';
import {
  type ResponseProblem,
  NetworkError,
  type NetworkErrorReason,
  ServiceError,
  InvalidResponseError,
} from '../../../../src/oauth/errors';
import { ForeignPageError } from '../../../../src/signin/verificationPage';
import { failureInWords } from '../../../../src/vscode/signin/failureWords';
import { spelled } from '../../../../src/vscode/signin/signInWords';
import { safeTrace } from '../../../../src/log';
import { timeLeftInDigits, timeLeftInWords } from '../../../../src/vscode/words/timeLeft';
import { english } from '../english';

const reasons: readonly NetworkErrorReason[] = [
  'aborted',
  'timeout',
  'host not found',
  'connection refused',
  'unreachable',
  'TLS',
  'connection lost',
  'proxy',
  'unknown',
];
const problems: readonly ResponseProblem[] = ['redirect', 'too large', 'not JSON', 'not an object', 'bad field'];

const failures = [
  ...reasons.map((reason) => new NetworkError('device code', reason, false, 'ETEST')),
  ...problems.map((problem) => new InvalidResponseError('device code', 200, problem, 'interval')),
  new InvalidResponseError('device code', 200, 'bad field', 'user_code'),
  new InvalidResponseError('device code', 200, 'bad field', 'verification_uri'),
  new ForeignPageError(),
  new ServiceError('poll', 400, 'invalid_client'),
  new ServiceError('poll', 400, 'access_denied'),
  new ServiceError('poll', 400, 'invalid_grant'),
  new ServiceError('poll', 429, undefined),
  new ServiceError('poll', 503, 'anything'),
  new ServiceError('poll', 404, 'not_found'),
  new ServiceError('poll', 400, undefined),
  new ServiceError('poll', 400, 'some_new_code'),
];

describe('failures in words', () => {
  for (const error of failures) {
    it(`are whole sentences that name the service and offer something to do: ${error.message}`, () => {
      const { text, offers } = failureInWords(english, 'My Service', error);
      assert.match(text, /^[A-Z].*\.$/);
      assert.match(text, /My Service/);
      assert.doesNotMatch(text, /\{\d\}|undefined/);
      assert.ok(offers.length > 0 && offers.length <= 3);
    });
  }

  it('quote an unknown code, as it is all that there is to tell an operator', () => {
    const { text } = failureInWords(english, 'My Service', new ServiceError('poll', 400, 'some_new_code'));
    assert.equal(text, 'My Service refused the sign-in with the error “some_new_code” (HTTP status 400).');
  });

  it('take no code for a known one that only looks like it', () => {
    for (const code of ['constructor', '__proto__', 'toString']) {
      const { text } = failureInWords(english, 'My Service', new ServiceError('poll', 400, code));
      assert.match(text, /refused the sign-in with the error/);
    }
  });
});

describe('the time left', () => {
  const cases: readonly [number, string, string][] = [
    [8_600_000, '2 h 23 min', '2:23:20'],
    [6_000_000, '1 h 40 min', '1:40:00'],
    [5_999_000, '99 min', '1:39:59'],
    [600_000, '10 min', '10:00'],
    [119_500, '2 min', '2:00'],
    [90_001, '1 min', '1:31'],
    [90_000, '90 s', '1:30'],
    [84_500, '80 s', '1:25'],
    [9_500, '10 s', '0:10'],
    [8_500, '<10 s', '0:09'],
    [1, '<10 s', '0:01'],
    [0, '0 s', '0:00'],
    [-5, '0 s', '0:00'],
  ];
  for (const [milliseconds, words, digits] of cases) {
    it(`is ${words} or ${digits} for ${milliseconds} ms`, () => {
      assert.equal(timeLeftInWords(english, milliseconds), words);
      assert.equal(timeLeftInDigits(milliseconds), digits);
    });
  }
});

describe('a code for screen readers', () => {
  it('is spelled', () => {
    assert.equal(spelled(english, 'Ab-1 2'), 'A, b, dash, 1, space, 2');
  });
});

describe('an error for the log', () => {
  it('has its kind and place, and not its message', () => {
    const trace = safeTrace(new RangeError('a secret\n    at secret (/a/b:1:2)'));
    assert.match(trace, /^RangeError\n {2}at /);
    assert.ok(!trace.includes('secret'));
    assert.equal(safeTrace('a secret'), 'string');
  });
});
