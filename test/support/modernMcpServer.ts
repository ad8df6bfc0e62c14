import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Clock } from '../../src/clock';

/** What a request to the server carried. */
export interface ModernRequest {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly token: string | undefined;
}

/** How often the tool “wait” reports its progress, in milliseconds. */
const PROGRESS = 1_000;
const CONFIRMATION = z.object({ confirm: z.boolean() });

/**
 * The official SDK's MCP server of 2026-07-28, which also serves the clients of earlier versions. It has no sessions: each request
 * stands for itself.
 */
export class ModernMcpServer {
  readonly requests: ModernRequest[] = [];
  /** What's responded instead, if anything. */
  refuse: (request: ModernRequest) => Promise<Response | undefined> = () => Promise.resolve(undefined);
  readonly #handler: McpHttpHandler;
  readonly #http: Server;

  constructor(clock: Clock) {
    this.#handler = createMcpHandler(() => createTools(clock), { keepAliveMs: 0 });
    this.#http = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  async start(): Promise<this> {
    await once(this.#http.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  /** Tells all who have subscribed that the tools have changed. */
  toolsChanged(): void {
    this.#handler.notify.toolsChanged();
  }

  /** Breaks off all connections. */
  breakOff(): void {
    this.#http.closeAllConnections();
  }

  /** Ends what's in progress, as a server does that's about to stop. */
  async endSubscriptions(): Promise<void> {
    await this.#handler.close();
  }

  async stop(): Promise<void> {
    await this.#handler.close();
    this.#http.close();
    this.#http.closeAllConnections();
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = '' } = incoming;
    const body = await text(incoming);
    const received = { method, headers, token: headers.authorization?.replace('Bearer ', '') };
    this.requests.push(received);
    const aborted = new AbortController();
    response.once('close', () => {
      aborted.abort();
    });
    const request = new Request(this.url, {
      method,
      headers: headers as Record<string, string>,
      signal: aborted.signal,
      ...(method === 'POST' ? { body } : {}),
    });
    const result = (await this.refuse(received)) ?? (await this.#handler.fetch(request));
    response.writeHead(result.status, Object.fromEntries(result.headers)).flushHeaders();
    await pipeline(result.body === null ? Readable.from([]) : Readable.fromWeb(result.body), response);
  }
}

/** The tools, as one request sees them. */
function createTools(clock: Clock): McpServer {
  const server = new McpServer(
    { name: 'Modern', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  const readOnly = { annotations: { readOnlyHint: true } };
  server.registerTool('echo', { ...readOnly, description: 'Says its name.' }, () => ({
    content: [{ type: 'text', text: 'echo' }],
  }));
  server.registerTool('delete', { description: 'Asks before it deletes anything.' }, (context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, 'confirm', CONFIRMATION);
    if (given === undefined) {
      const confirm = inputRequired.elicit({ message: 'Delete everything?', requestedSchema: CONFIRMATION });
      return inputRequired({ inputRequests: { confirm } });
    }
    return { content: [{ type: 'text', text: given.confirm ? 'deleted' : 'kept' }] };
  });
  server.registerTool(
    'wait',
    { ...readOnly, description: 'Waits for some seconds.', inputSchema: z.object({ seconds: z.number() }) },
    async ({ seconds }, { mcpReq }) => {
      for (let passed = 0; passed < seconds; passed += PROGRESS / 1_000) {
        const { progressToken } = mcpReq._meta ?? {};
        if (progressToken !== undefined) {
          const params = { progressToken, progress: passed, total: seconds };
          await mcpReq.notify({ method: 'notifications/progress', params });
        }
        await clock.sleep(PROGRESS, mcpReq.signal);
      }
      return { content: [{ type: 'text', text: `waited ${seconds} s` }] };
    },
  );
  return server;
}
