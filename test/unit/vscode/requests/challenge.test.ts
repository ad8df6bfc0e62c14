import assert from 'node:assert/strict';
import { neededScopes } from '../../../../src/vscode/requests/challenge';

const needed = (header: string | null, status = 403): readonly string[] =>
  neededScopes({ status, headers: { get: (name) => (name.toLowerCase() === 'www-authenticate' ? header : null) } });

/** Guards that what a server says it needs is found in any challenge as it's written, and that nothing else is taken for scopes. */
describe('the scopes that a server says a request needs', () => {
  for (const [header, ...scopes] of [
    ['Bearer error="insufficient_scope", scope="read write"', 'read', 'write'],
    ['bearer   scope=read,error=insufficient_scope', 'read'],
    ['Basic realm="a, b", BEARER Error="insufficient_scope" , Scope = "read  read"', 'read'],
    [
      'Negotiate, Bearer error="insufficient_scope", scope="https://api.example/read.all"',
      'https://api.example/read.all',
    ],
    ['Basic YWI6Y2Q=, Bearer realm="x \\"Bearer error=\\"", scope="read", error="insufficient_scope"', 'read'],
    ['Bearer error="insufficient_scope", scope="read", resource_metadata="https://x/?a=b,c", scope="write"', 'read'],
    ['Bearer error="invalid_token", Bearer error="insufficient_scope", scope="read"', 'read'],
    ['Bearer error="insufficient_scope", scope="read caf\u00e9 wr\\\\ite"', 'read'],
    ['Bearer error="insufficient_scope", scope="read DEVICE_FLOW_SERVICE:https://evil.example"', 'read'],
    ['Bearer error="insufficient_scope", scope="read'],
    ['Bearer error="insufficient_scope"'],
    ['Bearer error="insufficient_scope", scope=""'],
    ['Bearer scope="read"'],
    ['Bearer error="invalid_token", scope="read"'],
    ['DPoP error="insufficient_scope", scope="read"'],
    ['error="insufficient_scope", scope="read"'],
    ['Bearer realm="error=insufficient_scope, scope=read"'],
    [''],
  ] as const) {
    it(`are ${scopes.join(' ') || 'none'} in ${header || 'nothing'}`, () => {
      assert.deepEqual(needed(header), scopes);
      assert.deepEqual(needed(header, 401), scopes);
    });
  }

  it('are none without such a header, and with any other status', () => {
    assert.deepEqual(needed(null), []);
    for (const status of [200, 400, 404, 429, 500]) {
      assert.deepEqual(needed('Bearer error="insufficient_scope", scope="read"', status), []);
    }
  });

  it('are found soon, however long and odd the header is', () => {
    for (const part of ['"\\', 'a=', 'a ', ',', 'a="', '\\"', '= ']) {
      assert.deepEqual(needed(part.repeat(8_000)), []);
    }
  });
});
