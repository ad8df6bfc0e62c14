import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** A client of an MCP server, which sends these headers with each request. */
export async function connectMcp(url: string, headers: () => Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (address, init) => {
      const sent = new Headers(init?.headers);
      for (const [name, value] of Object.entries(headers())) sent.set(name, value);
      return fetch(address, { ...init, headers: sent });
    },
  });
  await client.connect(transport);
  return client;
}

/** What a tool said. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = (await client.callTool({ name, arguments: args })) as CallToolResult;
  return content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
}
