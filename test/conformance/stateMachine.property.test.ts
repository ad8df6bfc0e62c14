import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ApiAnswer, type IssuedCode, ServiceUnderTest, type Tokens, tokensOf } from './serviceUnderTest';

/** Short lifetimes in seconds, so that random walks run into them. */
const CODE_TTL = 40;
const ACCESS_TTL = 30;
const REFRESH_TTL = 100;

const step = fc.oneof(
  fc.record({ kind: fc.constant('issue' as const) }),
  fc.record({ kind: fc.constantFrom('approve' as const, 'deny' as const, 'poll' as const), code: fc.nat(3) }),
  fc.record({
    kind: fc.constantFrom('refresh' as const, 'whoami' as const),
    session: fc.nat(2),
    // Mostly the newest pairs: old ones are all alike.
    age: fc.constantFrom(0, 0, 0, 1, 2),
    times: fc.constantFrom(1, 1, 3),
  }),
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.nat(45) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelCode extends IssuedCode {
  readonly until: number;
  state: 'pending' | 'approved' | 'denied' | 'used';
}

interface ModelPair extends Tokens {
  readonly accessUntil: number;
  readonly refreshUntil: number;
}

/** What the specification says that a client sees, told without the service's code. */
class Model {
  readonly codes: ModelCode[] = [];
  /** The token pairs of each sign-in, newest first. */
  readonly sessions: ModelPair[][] = [];
  now = 0;

  constructor(private readonly service: ServiceUnderTest) {}

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'issue':
        this.codes.unshift({ ...(await this.service.issueCode()), until: this.now + CODE_TTL, state: 'pending' });
        return;
      case 'wait':
        await this.service.clock.advance(step.seconds * 1000);
        this.now += step.seconds;
        return;
      case 'approve':
      case 'deny':
        this.decide(step.kind, this.codes[step.code]);
        return;
      case 'poll':
        await this.poll(this.codes[step.code]);
        return;
      case 'refresh':
      case 'whoami': {
        const pairs = this.sessions[step.session];
        const pair = pairs?.[step.age];
        if (pairs === undefined || pair === undefined) return;
        if (step.kind === 'refresh') await this.refresh(pairs, pair, step.times);
        else await this.whoami(pairs, pair);
      }
    }
  }

  private decide(decision: 'approve' | 'deny', code: ModelCode | undefined): void {
    if (code === undefined) return;
    const state = this.stateOf(code);
    const problem = this.service.service[decision](code.userCode);
    assert.equal(problem, state === 'pending' ? undefined : state);
    if (state === 'pending') code.state = decision === 'approve' ? 'approved' : 'denied';
  }

  private async poll(code: ModelCode | undefined): Promise<void> {
    if (code === undefined) return;
    const answer = await this.service.poll(code.deviceCode);
    const expected = {
      pending: 'authorization_pending',
      approved: undefined,
      denied: 'access_denied',
      used: 'invalid_grant',
      expired: 'expired_token',
    }[this.stateOf(code)];
    assert.equal(answer.body['error'], expected);
    if (expected !== undefined) return;
    code.state = 'used';
    this.sessions.unshift([this.pairOf(answer)]);
  }

  private async refresh(pairs: ModelPair[], pair: ModelPair, times: number): Promise<void> {
    const answers = await Promise.all(Array.from({ length: times }, () => this.service.refresh(pair.refreshToken)));
    const won = answers.filter(({ status }) => status === 200);
    const isGood = pair === pairs[0] && this.now < pair.refreshUntil;
    assert.equal(won.length, isGood ? 1 : 0);
    for (const answer of won) pairs.unshift(this.pairOf(answer));
  }

  private async whoami(pairs: ModelPair[], pair: ModelPair): Promise<void> {
    const { status, body } = await this.service.whoami(pair.accessToken);
    const isGood = pair === pairs[0] && this.now < pair.accessUntil;
    assert.equal(status, isGood ? 200 : 401);
    if (isGood) assert.equal(body['generation'], pairs.length);
  }

  private stateOf(code: ModelCode): ModelCode['state'] | 'expired' {
    return code.state !== 'used' && this.now >= code.until ? 'expired' : code.state;
  }

  private pairOf(answer: ApiAnswer): ModelPair {
    const tokens = tokensOf(answer);
    const known = this.sessions.flat().flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
    assert.equal(known.includes(tokens.accessToken) || known.includes(tokens.refreshToken), false, 'tokens are new');
    return { ...tokens, accessUntil: this.now + ACCESS_TTL, refreshUntil: this.now + REFRESH_TTL };
  }
}

describe('any walk through the states', function () {
  this.timeout(60_000);

  it('looks to the client as the specification says', async () => {
    const lifetimes = { deviceCodeTtl: CODE_TTL, accessTokenTtl: ACCESS_TTL, refreshTokenTtl: REFRESH_TTL };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
        const service = await ServiceUnderTest.start(lifetimes);
        try {
          const model = new Model(service);
          // Most walks begin with someone signed in, or few would come that far.
          await model.take({ kind: 'issue' });
          await model.take({ kind: 'approve', code: 0 });
          await model.take({ kind: 'poll', code: 0 });
          for (const next of steps) await model.take(next);
        } finally {
          await service.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
