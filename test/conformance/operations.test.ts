import assert from 'node:assert/strict';
import { type Api, type ApiResponse, CREDENTIALS, outcome, type Query, useApi } from './api';

/** The operations, each with a valid request and the errors for wrong values of its parameters. */
const operations: Record<string, { path: string; query: (api: Api) => Promise<Query>; wrongValues: Query }> = {
  'device code (4.1)': {
    path: '/oauth2/device',
    query: () => Promise.resolve({ grant_type: 'device_code' }),
    wrongValues: {},
  },
  'poll (4.2)': {
    path: '/oauth2/device',
    query: async (api) => ({ grant_type: 'device_token', code: (await api.approvedCode()).deviceCode }),
    wrongValues: { code: 'invalid_grant' },
  },
  'refresh (4.3)': {
    path: '/oauth2/token',
    query: async (api) => ({ grant_type: 'refresh_token', refresh_token: (await api.signIn()).refreshToken }),
    wrongValues: { refresh_token: 'invalid_grant' },
  },
};
const COMMON_WRONG_VALUES = {
  grant_type: 'unsupported_grant_type',
  client_id: 'invalid_client',
  client_secret: 'invalid_client',
};

/** The bodies in which some clients send their parameters. */
const forms: Record<string, (fields: Query) => URLSearchParams | FormData> = {
  'an urlencoded form': (fields) => new URLSearchParams(fields),
  'a multipart form': (fields) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return form;
  },
};

/**
 * Guards that the demo service reads requests as the specification says, so that a client that encodes them wrongly
 * fails here.
 */
describe('operations and their parameters (specification 4)', () => {
  const api = useApi(CREDENTIALS, true);

  for (const [name, { path, query, wrongValues }] of Object.entries(operations)) {
    describe(name, () => {
      const validQuery = async (): Promise<Query> => ({ ...api().client, ...(await query(api())) });
      /** Sends an invalid request and then the valid one, which must still work: what is rejected changes nothing. */
      const invalid = async (send: (valid: Query) => Promise<ApiResponse>): Promise<readonly [number, unknown]> => {
        const valid = await validQuery();
        const result = outcome(await send(valid));
        assert.equal((await api().send(path, valid)).status, 200);
        return result;
      };

      it('succeeds with POST and all parameters in the query string', async () => {
        assert.equal((await api().send(path, await validQuery())).status, 200);
      });

      it('does not support other methods', async () => {
        for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
          const result = await invalid((valid) => api().send(path, valid, { method }));
          assert.deepEqual(result, [405, 'method_not_allowed'], method);
        }
      });

      for (const [parameter, wrongValueError] of Object.entries({ ...COMMON_WRONG_VALUES, ...wrongValues })) {
        it(`${parameter} is required in the query string, once, not empty, and with a valid value`, async () => {
          const missing = [400, 'invalid_request'];
          assert.deepEqual(await invalid((valid) => api().send(path, without(valid, parameter))), missing);
          assert.deepEqual(await invalid((valid) => api().send(path, { ...valid, [parameter]: '' })), missing);
          const twice = (all: Query) =>
            Object.entries(all).flatMap((one) => (one[0] === parameter ? [one, one] : [one]));
          assert.deepEqual(await invalid((valid) => api().send(path, twice(valid))), missing);
          const wrong = await invalid((valid) => api().send(path, { ...valid, [parameter]: 'something else' }));
          assert.deepEqual(wrong, [400, wrongValueError]);
          for (const form of Object.values(forms)) {
            const inForm = await invalid((valid) =>
              api().send(path, without(valid, parameter), { body: form({ [parameter]: valid[parameter] ?? '' }) }),
            );
            assert.deepEqual(inForm, missing, 'a parameter in a body is ignored');
          }
        });
      }

      it('ignores bodies of any type and unknown parameters', async () => {
        const json = { body: '{', headers: { 'content-type': 'application/json' } };
        assert.equal((await api().send(path, { ...(await validQuery()), scope: 'x' }, json)).status, 200);
      });
    });
  }

  it('supports each grant type at one endpoint only', async () => {
    const { refreshToken } = await api().signIn();
    const refresh = { grant_type: 'refresh_token', ...api().client, refresh_token: refreshToken };
    const code = { grant_type: 'device_code', ...api().client };
    assert.deepEqual(outcome(await api().send('/oauth2/device', refresh)), [400, 'unsupported_grant_type']);
    assert.deepEqual(outcome(await api().send('/oauth2/token', code)), [400, 'unsupported_grant_type']);
  });

  it('rejects a token that was not encoded in the query string', async () => {
    const { refreshToken } = await api().signIn();
    assert.ok(refreshToken.includes('+'));
    const url = api().url('/oauth2/token', { grant_type: 'refresh_token', ...api().client });
    assert.equal((await fetch(`${url}&refresh_token=${refreshToken}`, { method: 'POST' })).status, 400);
    assert.equal((await api().refresh(refreshToken)).status, 200);
  });
});

describe('a lenient service', () => {
  const api = useApi({ ...CREDENTIALS, lenient: true }, true);

  for (const [name, { path, query }] of Object.entries(operations)) {
    for (const [kind, form] of Object.entries(forms)) {
      it(`${name} accepts its parameters in ${kind}, also beside a query string`, async () => {
        const all = async (): Promise<Query> => ({ ...api().client, ...(await query(api())) });
        assert.equal((await api().send(path, {}, { body: form(await all()) })).status, 200);
        const { grant_type = '', ...others } = await all();
        assert.equal((await api().send(path, { grant_type }, { body: form(others) })).status, 200);
      });
    }

    it(`${name} accepts its parameters in the query string, and rejects one that is repeated in a form`, async () => {
      const valid = { ...api().client, ...(await query(api())) };
      const repeated = await api().send(path, valid, { body: new URLSearchParams({ client_id: 'x' }) });
      assert.deepEqual(outcome(repeated), [400, 'invalid_request']);
      assert.equal((await api().send(path, valid)).status, 200);
    });
  }

  it('refreshes at the device endpoint, too, and records that as a refresh', async () => {
    const { refreshToken } = await api().signIn();
    const refresh = { grant_type: 'refresh_token', ...api().client, refresh_token: refreshToken };
    assert.equal((await api().send('/oauth2/device', {}, { body: new URLSearchParams(refresh) })).status, 200);
    assert.deepEqual(api().service.record.of('refresh').at(-1)?.token?.state, 'current');
    assert.deepEqual(outcome(await api().send('/oauth2/device', refresh)), [400, 'invalid_grant']);
  });

  it('still rejects wrong credentials, and bodies that are not forms', async () => {
    const wrong = { grant_type: 'device_code', ...api().client, client_secret: 'wrong' };
    const body = new URLSearchParams(wrong);
    assert.deepEqual(outcome(await api().send('/oauth2/device', {}, { body })), [400, 'invalid_client']);
    const json = { body: JSON.stringify(wrong), headers: { 'content-type': 'application/json' } };
    assert.deepEqual(outcome(await api().send('/oauth2/device', {}, json)), [400, 'invalid_request']);
    const broken = { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=y' } };
    assert.deepEqual(outcome(await api().send('/oauth2/device', {}, broken)), [400, 'invalid_request']);
  });
});

function without(query: Query, name: string): Query {
  return Object.fromEntries(Object.entries(query).filter(([key]) => key !== name));
}
