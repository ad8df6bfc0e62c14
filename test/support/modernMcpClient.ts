import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { fetchWith, textOf } from './mcpClient';

/** How a client agrees on the version of the protocol: the newest, or whichever the server knows. */
export type Negotiation = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>;

/** The official SDK's client of 2026-07-28, which sends these headers with each request. */
export async function connectModernMcp(
  url: string,
  headers: () => Record<string, string>,
  mode: Negotiation = { pin: '2026-07-28' },
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: fetchWith(headers) });
  await client.connect(transport);
  return client;
}

/** What a tool said. */
export async function callModernTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  // The server then responds at once, with a stream, if the tool reports its progress.
  const { content } = await client.callTool({ name, arguments: args }, { onprogress: () => undefined });
  return textOf(content);
}
