import assert from 'node:assert/strict';
import { mcpServerProblems, readMcpServers } from '../../../../src/vscode/mcp/options';

const TOOLS = { label: 'Tools', url: 'https://api.acme.example/mcp' };

/** Guards that publishers learn of every wrong field of an MCP server, and that no token goes where it shouldn’t. */
describe('the options of MCP servers', () => {
  it('are read as they are, none if they’re left out', () => {
    const servers = [
      TOOLS,
      {
        label: 'More',
        url: 'http://localhost:3000/mcp?tenant=1',
        service: 'https://login.acme.example',
        scopes: ['a'],
        version: '1',
        headers: { 'X-Team': 'a b' },
      },
    ];
    const read = readMcpServers(servers);
    assert.deepEqual(read, servers);
    assert.notEqual(read[0], TOOLS);
    assert.deepEqual(readMcpServers(undefined), []);
  });

  for (const [field, value] of [
    ['label', ''],
    ['label', ' More'],
    ['label', 'a\nb'],
    ['label', '[a](command:b)'],
    ['label', 'x'.repeat(65)],
    ['label', 7],
    ['url', 'api.acme.example'],
    ['url', 'http://api.acme.example/mcp'],
    ['url', 'http://127.0.0.2/mcp'],
    ['url', 'https://user:password@api.acme.example/mcp'],
    ['url', 'https://api.acme.example/mcp#part'],
    ['url', 'https://api.acme.example/m cp'],
    ['url', 'https:\\\\api.acme.example'],
    ['url', 'file:///etc/passwd'],
    ['url', null],
    ['service', 'acme'],
    ['scopes', 'a b'],
    ['scopes', ['a b']],
    ['version', ''],
    ['version', 1],
    ['headers', ['X-Team: a']],
    ['headers', null],
    ['headers', { 'X-Team': 1 }],
    ['headers', { 'X-Team': 'a\r\nAuthorization: b' }],
    ['headers', { 'X Team': 'a' }],
    ['headers', { '': 'a' }],
    ['headers', { 'X-Team': 'a', 'x-team': 'b' }],
    ...[
      'Authorization',
      'authorization',
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'Cookie',
      'Mcp-Session-Id',
    ].map((name) => ['headers', { [name]: 'a' }] as const),
  ] as const) {
    it(`refuse ${JSON.stringify(value)} as ${field}, and name the field`, () => {
      const [problem, ...others] = mcpServerProblems([TOOLS, { ...TOOLS, label: 'More', [field]: value }]);
      assert.match(String(problem), new RegExp(`^mcpServers\\[1\\]\\.${field} is wrong\\. .+\\.$`));
      assert.deepEqual(others, []);
    });
  }

  it('name all that’s wrong at once', () => {
    const problems = mcpServerProblems([{ ...TOOLS, Url: 'x' }, {}, { ...TOOLS, label: 'TOOLS' }, 'x']);
    assert.deepEqual(problems, [
      "mcpServers[0].Url isn't a known field. Did you mean url?",
      'mcpServers[1].label is missing.',
      'mcpServers[1].url is missing.',
      'mcpServers[2].label is wrong. Another server has this name.',
      'mcpServers[3] must be an object.',
    ]);
    assert.throws(() => readMcpServers([{}]), {
      message: 'mcpServers[0].label is missing. mcpServers[0].url is missing.',
    });
    assert.deepEqual(mcpServerProblems({}), ['mcpServers must be a list.']);
    assert.deepEqual(mcpServerProblems(null), ['mcpServers must be a list.']);
  });
});
