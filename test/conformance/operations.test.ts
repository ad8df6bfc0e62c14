import assert from 'node:assert/strict';
import { type ApiAnswer, outcome, ServiceUnderTest } from './serviceUnderTest';

type Query = Readonly<Record<string, string>>;

describe('operations and their parameters (specification 4)', () => {
  let service: ServiceUnderTest;
  before(async () => {
    service = await ServiceUnderTest.start({ clientId: 'an id & more', clientSecret: 'a b+c/d=e%26&ü"' });
  });
  after(() => service.close());

  const operations: Record<string, { path: string; query: () => Promise<Query>; wrongValues: Query }> = {
    'device code (4.1)': {
      path: '/oauth2/device',
      query: () => Promise.resolve({ grant_type: 'device_code', ...service.client }),
      wrongValues: {
        grant_type: 'unsupported_grant_type',
        client_id: 'invalid_client',
        client_secret: 'invalid_client',
      },
    },
    'poll (4.2)': {
      path: '/oauth2/device',
      query: async () => {
        const { deviceCode, userCode } = await service.issueCode();
        service.service.approve(userCode);
        return { grant_type: 'device_token', ...service.client, code: deviceCode };
      },
      wrongValues: {
        grant_type: 'unsupported_grant_type',
        client_id: 'invalid_client',
        client_secret: 'invalid_client',
        code: 'invalid_grant',
      },
    },
    'refresh (4.3)': {
      path: '/oauth2/token',
      query: async () => {
        const { refreshToken } = await service.signIn();
        return { grant_type: 'refresh_token', ...service.client, refresh_token: refreshToken };
      },
      wrongValues: {
        grant_type: 'unsupported_grant_type',
        client_id: 'invalid_client',
        client_secret: 'invalid_client',
        refresh_token: 'invalid_grant',
      },
    },
  };

  for (const [name, { path, query, wrongValues }] of Object.entries(operations)) {
    describe(name, () => {
      /** Sends a spoilt request, then the good one, which must still work: what is refused changes nothing. */
      const spoilt = async (spoil: (good: Query) => Promise<ApiAnswer>): Promise<readonly [number, unknown]> => {
        const good = await query();
        const result = outcome(await spoil(good));
        assert.equal((await service.send(path, good)).status, 200);
        return result;
      };

      it('succeeds with method POST and all parameters in the query', async () => {
        assert.equal((await service.send(path, await query())).status, 200);
      });

      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        it(`is not known by ${method}`, async () => {
          const result = await spoilt((good) => service.send(path, good, { method }));
          assert.deepEqual(result, [405, 'method_not_allowed']);
        });
      }

      for (const [parameter, wrongValueError] of Object.entries(wrongValues)) {
        it(`${parameter} is required`, async () => {
          const result = await spoilt((good) => service.send(path, without(good, parameter)));
          assert.deepEqual(result, [400, 'invalid_request']);
        });
        it(`${parameter} must not be empty`, async () => {
          const result = await spoilt((good) => service.send(path, { ...good, [parameter]: '' }));
          assert.deepEqual(result, [400, 'invalid_request']);
        });
        it(`${parameter} must be there once`, async () => {
          const result = await spoilt(async (good) => {
            const twice = `${service.url(path, good)}&${new URLSearchParams({ [parameter]: good[parameter] ?? '' }).toString()}`;
            const response = await fetch(twice, { method: 'POST' });
            const body = (await response.json()) as Record<string, unknown>;
            return { status: response.status, headers: response.headers, body };
          });
          assert.deepEqual(result, [400, 'invalid_request']);
        });
        it(`another value of ${parameter} is refused with ${wrongValueError}`, async () => {
          const result = await spoilt((good) => service.send(path, { ...good, [parameter]: 'something else' }));
          assert.deepEqual(result, [400, wrongValueError]);
        });
        it(`${parameter} in a body is not seen`, async () => {
          const result = await spoilt((good) =>
            service.send(path, without(good, parameter), {
              method: 'POST',
              body: new URLSearchParams({ [parameter]: good[parameter] ?? '' }),
            }),
          );
          assert.deepEqual(result, [400, 'invalid_request']);
        });
      }

      it('is not disturbed by a body of any type, nor by parameters that it does not know', async () => {
        const unknown = { ...(await query()), scope: 'x' };
        const init = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
        assert.equal((await service.send(path, unknown, init)).status, 200);
      });
    });
  }

  it('a grant type belongs to its endpoint', async () => {
    const { refreshToken } = await service.signIn();
    const refresh = { grant_type: 'refresh_token', ...service.client, refresh_token: refreshToken };
    const code = { grant_type: 'device_code', ...service.client };
    assert.deepEqual(outcome(await service.send('/oauth2/device', refresh)), [400, 'unsupported_grant_type']);
    assert.deepEqual(outcome(await service.send('/oauth2/token', code)), [400, 'unsupported_grant_type']);
  });

  it('a value that is not encoded as it must be is another value', async () => {
    const { refreshToken } = await service.signIn();
    assert.ok(refreshToken.includes('+'));
    const careless = `${service.url('/oauth2/token', { grant_type: 'refresh_token', ...service.client })}&refresh_token=${refreshToken}`;
    assert.equal((await fetch(careless, { method: 'POST' })).status, 400);
    assert.equal((await service.refresh(refreshToken)).status, 200);
  });
});

function without(query: Query, name: string): Query {
  return Object.fromEntries(Object.entries(query).filter(([key]) => key !== name));
}
