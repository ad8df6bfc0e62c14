import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ApiDependencies } from './api';
import { ApiError } from './errors';
import { exchange, orErrorResponse } from './exchange';
import { bearerTokenOf } from './resources';
import type { TokenPairs } from './tokenPairs';

/** Path of the MCP server. */
export const MCP_PATH = '/mcp';

/** The longest call of the tool “wait”, in seconds. */
const LONGEST_WAIT = 600;
/** How often that tool reports its progress, in milliseconds. */
const PROGRESS = 1000;

/** What the MCP server works with. */
export type McpDependencies = Pick<ApiDependencies, 'state' | 'record' | 'faults' | 'clock' | 'closing'>;

/** A session of the protocol: one client between `initialize` and its end. */
interface McpSession {
  readonly transport: StreamableHTTPServerTransport;
  /** The account whose token began it. Nobody else may use it. */
  readonly account: string;
}

/**
 * Adds an MCP server (Streamable HTTP) with two tools. Like any resource of the service, it demands a current access
 * token with each request, in the header.
 */
export function addMcpServer(app: FastifyInstance, dependencies: McpDependencies): void {
  const { pairs } = dependencies.state;
  const sessions = new McpSessions(dependencies);
  // The SDK reads the bodies.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => {
    done(null);
  });
  app.all(MCP_PATH, async (request, reply) => {
    const { authorization } = request.headers;
    const token = bearerTokenOf(authorization);
    const finish = dependencies.record.add({
      operation: 'mcp',
      early: false,
      hasAuthorization: authorization !== undefined,
      token: pairs.receive(token ?? '', 'access'),
    });
    const fault = dependencies.faults.take('mcp');
    let account = '';
    const checked = orErrorResponse(() => {
      account = authorize(pairs, token);
      return { status: 200, body: {} };
    });
    if (fault !== undefined || checked.status !== 200) {
      finish(await exchange(reply, () => checked, fault, dependencies));
      return reply;
    }
    reply.hijack();
    await sessions.handle(request.raw, reply.raw, account);
    finish({ status: reply.raw.statusCode, processed: true, error: undefined, issued: undefined });
    return reply;
  });
}

/** The account that an access token is for. @throws ApiError if it isn't a current one */
function authorize(pairs: TokenPairs, token: string | undefined): string {
  if (token === undefined) throw new ApiError('noAccessToken');
  return pairs.ownerOf(token).account;
}

/** The sessions of all clients. */
class McpSessions {
  readonly #sessions = new Map<string, McpSession>();

  constructor(private readonly dependencies: McpDependencies) {}

  /** Hands an authorized request to its session, and resolves when the response has ended. */
  async handle(request: IncomingMessage, response: ServerResponse, account: string): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (id !== undefined && known?.account !== account) {
      response.writeHead(404).end();
      return;
    }
    const ended = new Promise((resolve) => response.once('close', resolve));
    const transport = known?.transport ?? (await this.#begin(account));
    await transport.handleRequest(request, response);
    await ended;
  }

  /** Begins a session. It's known by its ID as soon as the client has initialized it. */
  async #begin(account: string): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, account });
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    await createTools(this.dependencies, account).connect(transport);
    return transport;
  }
}

/** The tools, as one client sees them. */
function createTools({ clock, closing }: McpDependencies, account: string): McpServer {
  const server = new McpServer({ name: 'Demo Service', version: '1.0.0' });
  const readOnly = { annotations: { readOnlyHint: true } };
  server.registerTool(
    'whoami',
    { ...readOnly, title: 'Who Am I', description: 'Says who is signed in to the demo service.' },
    () => ({ content: [{ type: 'text', text: `You are ${account}.` }] }),
  );
  server.registerTool(
    'wait',
    {
      ...readOnly,
      title: 'Wait',
      description: 'Waits for some seconds, as a tool that has a lot to do.',
      inputSchema: { seconds: z.number().min(0).max(LONGEST_WAIT) },
    },
    async ({ seconds }, { _meta, sendNotification, signal }) => {
      const over = AbortSignal.any([signal, closing]);
      const begun = clock.monotonic();
      for (let passed = 0; passed < seconds; passed = (clock.monotonic() - begun) / 1000) {
        if (_meta?.progressToken !== undefined) {
          const params = { progressToken: _meta.progressToken, progress: passed, total: seconds };
          await sendNotification({ method: 'notifications/progress', params });
        }
        await clock.sleep(Math.min(PROGRESS, (seconds - passed) * 1000), over);
      }
      return { content: [{ type: 'text', text: `${account} waited ${seconds} s.` }] };
    },
  );
  return server;
}
