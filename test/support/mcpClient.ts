import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** A client of an MCP server, which sends these headers with each request. */
export async function connectMcp(url: string, headers: () => Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: fetchWith(headers) });
  await client.connect(transport);
  return client;
}

/** What a tool said. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = (await client.callTool({ name, arguments: args })) as CallToolResult;
  return textOf(content);
}

/** Requests with these headers instead of others of the same names. */
export function fetchWith(
  headers: () => Record<string, string>,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return (address, init) => {
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers())) sent.set(name, value);
    return fetch(address, { ...init, headers: sent });
  };
}

/** The text in what a tool responded, and what else is in it by its type. */
export function textOf(content: CallToolResult['content']): string {
  return content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
}
