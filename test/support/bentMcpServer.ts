import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const READ_ONLY = { annotations: { readOnlyHint: true } };

/** The official SDK's MCP server, which a test can take away in the middle of everything, and bring back. It takes any token. */
export class BentMcpServer {
  /** How many calls of the tool "linger", which never ends by itself, have begun. */
  lingering = 0;
  /** How many streams of notifications are open. */
  listening = 0;
  readonly #sessions = new Map<
    string,
    { readonly server: McpServer; readonly transport: StreamableHTTPServerTransport }
  >();
  #http: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** Begins, or comes back with all that it knew. */
  async comeBack(): Promise<void> {
    this.#http = createServer((request, response) => void this.#handle(request, response));
    this.#http.listen(this.#port, '127.0.0.1');
    await once(this.#http, 'listening');
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  /** Breaks off all connections, and refuses new ones. */
  async goAway(): Promise<void> {
    const closed = this.#http?.close();
    closed?.closeAllConnections();
    if (closed !== undefined) await once(closed, 'close');
  }

  /** Adds a tool, and notifies all clients that listen. */
  addTool(name: string): void {
    for (const { server } of this.#sessions.values()) addTool(server, name);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      this.listening += 1;
      response.once('close', () => (this.listening -= 1));
    }
    const known = this.#sessions.get(String(request.headers['mcp-session-id']));
    await (known?.transport ?? (await this.#begin())).handleRequest(request, response);
  }

  async #begin(): Promise<StreamableHTTPServerTransport> {
    const server = new McpServer({ name: 'Bent', version: '1.0.0' });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { server, transport });
      },
    });
    addTool(server, 'echo');
    server.registerTool('linger', { ...READ_ONLY, description: 'Never ends.' }, async ({ _meta, sendNotification }) => {
      const { progressToken = 'nobody' } = _meta ?? {};
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 0 } });
      this.lingering += 1;
      return await new Promise<never>(() => undefined);
    });
    await server.connect(transport);
    return transport;
  }
}

/** A tool that says its name. */
function addTool(server: McpServer, name: string): void {
  server.registerTool(name, { ...READ_ONLY, description: 'Says its name.' }, () => ({
    content: [{ type: 'text', text: name }],
  }));
}
