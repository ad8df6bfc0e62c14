import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fetch from 'node-fetch';
import { systemClock } from '../../../src/clock';
import { createClient } from '../../../src/oauth/createClient';
import type { SharedSessions } from '../../../src/sessions/sharedSessions';
import type { ClientSecrets } from '../../../src/storage/clientSecrets';
import { openSessions } from '../openSessions';
import { SILENT } from '../silentLog';
import type { Order, Report, WindowSettings } from './messages';

/** Tokens that live for seconds are refreshed for callers alone. Milliseconds. */
const CALLS_EVERY = 50;

/** Opens the sessions of a window, and reports what happens to them. SecretStorage is a file, which all windows of a desktop share. */
function openReporting(
  { baseUrl, clientId, folder, editorFolder }: WindowSettings,
  report: (message: Report) => void,
): { readonly sessions: SharedSessions; readonly clientSecrets: ClientSecrets } {
  const keyring = path.join(editorFolder, 'keyring');
  const secrets = {
    get: () => Promise.resolve(contentsOf(keyring)),
    store: (text: string) => replaceFile(keyring, text),
  };
  const client = createClient({
    fetch,
    clock: systemClock,
    log: SILENT,
    random: randomBytes,
    userAgent: 'window-process',
  });
  const { clientSecrets, sessions, store } = openSessions(
    folder,
    { protocol: 'draft', baseUrl, clientId },
    secrets,
    client,
  );
  store.onProblem((kind) => {
    report({ kind: 'told', notice: kind });
  });
  sessions.onNotice((notice) => {
    if (notice.kind === 'ended') {
      report({ kind: 'ended', responseLost: notice.responseLost });
    } else {
      report({ kind: 'told', notice: notice.kind });
    }
  });
  sessions.onDidChange(({ added, changed }) => {
    for (const { accessToken } of [...added, ...changed]) {
      report({ kind: 'changed', print: printOf(accessToken), at: performance.timeOrigin + performance.now() });
    }
  });
  return { sessions, clientSecrets };
}

/** A window without an editor: the real sessions, locks, disk, and client in a process of their own. */
class Window {
  readonly #sessions: SharedSessions;
  readonly #clientSecrets: ClientSecrets;

  constructor(
    private readonly settings: WindowSettings,
    private readonly report: (message: Report) => void,
  ) {
    const { clientSecrets, sessions } = openReporting(settings, report);
    this.#sessions = sessions;
    this.#clientSecrets = clientSecrets;
  }

  /** Starts the upkeep, and reports when the sessions are known. From then on, somebody needs the token all the time. */
  start(): void {
    void this.#sessions.run();
    setInterval(() => void this.#serve().catch(() => undefined), CALLS_EVERY);
    void this.#sessions.list().then(() => {
      this.report({ kind: 'ready' });
    });
  }

  /** Does what the parent process wants. @returns what to report then */
  obey(order: Order): Promise<Report> {
    switch (order.kind) {
      case 'serve':
        return this.#serve();
      case 'add':
        return this.#add(order);
    }
  }

  async #serve(): Promise<Report> {
    const { baseUrl, clientId } = this.settings;
    const served = await this.#sessions.serve({ protocol: 'draft', baseUrl, clientId });
    return { kind: 'served', prints: served.map(({ accessToken }) => printOf(accessToken)) };
  }

  async #add({ accessToken, refreshToken, expiresIn }: Order & { readonly kind: 'add' }): Promise<Report> {
    const { baseUrl, clientId, clientSecret } = this.settings;
    const service = { protocol: 'draft', baseUrl, clientId } as const;
    await this.#clientSecrets.set(service, clientSecret);
    const tokens = { accessToken, refreshToken, requestedAt: Date.now(), expiresIn };
    const id = await this.#sessions.add({ service, tokens, label: 'account' });
    await this.#sessions.assignAccount(id, {
      label: 'account',
      user: undefined,
      mustShowUser: false,
      accountId: undefined,
    });
    return { kind: 'added' };
  }
}

function main(settings: WindowSettings): void {
  const report = (message: Report): void => void process.send?.(message);
  const window = new Window(settings, report);
  process.on('message', (order: Order) => {
    window.obey(order).then(report, (error: unknown) => {
      report({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' });
    });
  });
  window.start();
}

function printOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

function contentsOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, file);
}

main(JSON.parse(process.argv[2] ?? '') as WindowSettings);
