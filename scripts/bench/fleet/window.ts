import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fetch from 'node-fetch';
import { systemClock as clock } from '../../../src/clock';
import type { Log } from '../../../src/log';
import { createClient } from '../../../src/oauth/createClient';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import { SqliteLocks } from '../../../src/storage/sqliteLocks';
import { countedDisk } from '../countedDisk';
import type { Order, Report, WindowSettings } from './messages';

/**
 * A window without an editor: the real sessions, locks, disk and client in a process of their own. SecretStorage is a file,
 * like a keyring that all windows of a desktop share.
 */
function main({ baseUrl, clientId, clientSecret, folder, editorFolder }: WindowSettings): void {
  const report = (message: Report): void => void process.send?.(message);
  const log: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };
  const calls = new Map<string, number>();
  const keyring = path.join(editorFolder, 'keyring');
  const service = { baseUrl, clientId };
  const sessions = new SharedSessions(
    {
      disk: countedDisk(new NodeDisk(folder, { clock, log }), calls),
      locks: new SqliteLocks([path.join(folder, 'locks')], { clock, log }),
      secrets: { get: () => Promise.resolve(contentsOf(keyring)), store: (text) => replaceFile(keyring, text) },
      clock,
      random: randomBytes,
      log,
      secretsNeedReload: false,
      secretsOwner: 'bench',
    },
    {
      client: createClient({ fetch, clock, log, userAgent: 'window-process' }),
      configuredService: () => service,
      notify: (notice) => {
        if (notice.kind === 'ended') {
          report({ kind: 'ended', responseLost: notice.responseLost });
        } else {
          report({ kind: 'told', notice: notice.kind });
        }
      },
      onRefreshed: nothing,
    },
  );
  sessions.onDidChange(({ added, changed }) => {
    for (const { accessToken } of [...added, ...changed]) {
      report({ kind: 'changed', print: printOf(accessToken), at: performance.timeOrigin + performance.now() });
    }
  });
  const obey = async (order: Order): Promise<Report> => {
    if (order.kind === 'serve') {
      const began = performance.now();
      const served = await sessions.serve();
      const took = performance.now() - began;
      return { kind: 'served', prints: served.map(({ accessToken }) => printOf(accessToken)), took };
    }
    if (order.kind === 'refresh') {
      await sessions.refreshNow((await sessions.list())[order.session]?.id ?? '');
      return { kind: 'refreshed' };
    }
    if (order.kind === 'count') {
      const costs = Object.fromEntries(calls);
      calls.clear();
      await globalThis.gc?.({ execution: 'async' });
      return { kind: 'costs', calls: costs, heap: process.memoryUsage().heapUsed };
    }
    const { accessToken, refreshToken, expiresIn } = order;
    await sessions.clientSecrets.set(service, clientSecret);
    const tokens = { accessToken, refreshToken, expiresIn };
    const id = await sessions.add({ service, tokens, label: 'account' });
    await sessions.assignAccount(id, { label: 'account', user: undefined, mustShowUser: false, accountId: undefined });
    return { kind: 'added' };
  };
  process.on('message', (order: Order) => {
    obey(order).then(report, (error: unknown) => {
      report({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' });
    });
  });
  void sessions.run();
  void sessions.list().then(() => {
    report({ kind: 'ready' });
  });
}

function nothing(): void {
  // What the log and these events tell isn't looked at here.
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
