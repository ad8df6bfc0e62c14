import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Api, type ApiResponse, type Codes, type Tokens, tokensOf } from './api';

/** Lifetimes in seconds, short enough that random walks exceed them. */
const CODE_TTL = 40;
const ACCESS_TTL = 30;
const REFRESH_TTL = 100;

const step = fc.oneof(
  fc.record({ kind: fc.constant('issue' as const) }),
  fc.record({ kind: fc.constantFrom('approve' as const, 'deny' as const, 'poll' as const), code: fc.nat(3) }),
  fc.record({
    kind: fc.constantFrom('refresh' as const, 'whoami' as const),
    session: fc.nat(2),
    // Mostly the newest pair: all older ones are alike.
    age: fc.constantFrom(0, 0, 0, 1, 2),
    times: fc.constantFrom(1, 1, 3),
  }),
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.nat(45) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelCode extends Codes {
  readonly until: number;
  state: 'pending' | 'approved' | 'denied' | 'used';
}

interface ModelPair extends Tokens {
  readonly accessUntil: number;
  readonly refreshUntil: number;
}

/** What a client must see according to the specification, independent of the service's code. */
class Model {
  readonly codes: ModelCode[] = [];
  /** The token pairs of each sign-in, newest first. */
  readonly sessions: ModelPair[][] = [];
  now = 0;

  constructor(private readonly api: Api) {}

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'issue':
        this.codes.unshift({ ...(await this.api.issueCode()), until: this.now + CODE_TTL, state: 'pending' });
        return;
      case 'wait':
        await this.api.clock.advance(step.seconds * 1000);
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
    const problem = this.api.service[decision](code.userCode);
    assert.equal(problem, state === 'pending' ? undefined : state);
    if (state === 'pending') code.state = decision === 'approve' ? 'approved' : 'denied';
  }

  private async poll(code: ModelCode | undefined): Promise<void> {
    if (code === undefined) return;
    const response = await this.api.poll(code.deviceCode);
    const expected = {
      pending: 'authorization_pending',
      approved: undefined,
      denied: 'access_denied',
      used: 'invalid_grant',
      expired: 'expired_token',
    }[this.stateOf(code)];
    assert.equal(response.body['error'], expected);
    if (expected !== undefined) return;
    code.state = 'used';
    this.sessions.unshift([this.pairOf(response)]);
  }

  private async refresh(pairs: ModelPair[], pair: ModelPair, times: number): Promise<void> {
    const responses = await Promise.all(Array.from({ length: times }, () => this.api.refresh(pair.refreshToken)));
    const won = responses.filter(({ status }) => status === 200);
    const isGood = pair === pairs[0] && this.now < pair.refreshUntil;
    assert.equal(won.length, isGood ? 1 : 0);
    for (const { status, body } of responses) assert.equal(body['error'], status === 200 ? undefined : 'invalid_grant');
    for (const response of won) pairs.unshift(this.pairOf(response));
  }

  private async whoami(pairs: ModelPair[], pair: ModelPair): Promise<void> {
    const { status, body } = await this.api.whoami(pair.accessToken);
    const isGood = pair === pairs[0] && this.now < pair.accessUntil;
    assert.equal(status, isGood ? 200 : 401);
    if (isGood) assert.equal(body['generation'], pairs.length);
  }

  private stateOf(code: ModelCode): ModelCode['state'] | 'expired' {
    return code.state !== 'used' && this.now >= code.until ? 'expired' : code.state;
  }

  private pairOf(response: ApiResponse): ModelPair {
    const tokens = tokensOf(response);
    const known = this.sessions.flat().flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
    assert.equal(known.includes(tokens.accessToken) || known.includes(tokens.refreshToken), false, 'tokens are new');
    return { ...tokens, accessUntil: this.now + ACCESS_TTL, refreshUntil: this.now + REFRESH_TTL };
  }
}

/** Guards that the demo service goes through the states of the specification, in whatever order requests come. */
describe('random walks through the states', function () {
  this.timeout(60_000);

  it('look to the client as the specification says', async () => {
    const lifetimes = { deviceCodeTtl: CODE_TTL, accessTokenTtl: ACCESS_TTL, refreshTokenTtl: REFRESH_TTL };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
        const api = await Api.start(lifetimes);
        try {
          const model = new Model(api);
          // Start with someone signed in, because few walks would get that far.
          await model.take({ kind: 'issue' });
          await model.take({ kind: 'approve', code: 0 });
          await model.take({ kind: 'poll', code: 0 });
          for (const next of steps) await model.take(next);
        } finally {
          await api.service.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
