import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fetch from 'node-fetch';
import { systemClock as clock } from '../../../src/clock';
import { type Log, codeOf } from '../../../src/log';
import { createDraftClient } from '../../../src/oauth/draftClient';
import { NodeDisk } from '../../../src/storage/nodeDisk';
import type { KeyNote, SecretEntry } from '../../../src/storage/secrets';
import { SessionStore } from '../../../src/sessions/sessionStore';
import { SqliteLocks } from '../../../src/storage/sqliteLocks';
import { Vault } from '../../../src/storage/vault';
import { VaultAccess } from '../../../src/storage/vaultAccess';
import type { Order, Report, WindowSettings } from './messages';

/**
 * A window without an editor: the real session store, lock, disk and protocol in a process of their own. SecretStorage
 * is a file, as a keyring that all windows of a desktop share.
 */
function main(settings: WindowSettings): void {
  const { folder, baseUrl, clientId, clientSecret } = settings;
  const report = (message: Report): void => void process.send?.(message);
  const log: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };
  const disk = new NodeDisk(folder, log);
  const locks = new SqliteLocks([path.join(folder, 'locks')], () => import('node:sqlite'), clock, log);
  const protocol = createDraftClient({ fetch, clock, log, userAgent: 'window-process' });
  const noteFile = path.join(folder, 'note');
  const vault = new Vault({
    secrets: fileSecrets(path.join(folder, 'keyring')),
    notice: { get: () => readNote(noteFile), set: (note) => replaceFile(noteFile, JSON.stringify(note)) },
    disk,
    locks,
    clock,
    random: randomBytes,
    log,
    secretsNeedReload: false,
  });
  const events = {
    rotated: nothing,
    ended: (_: unknown, reason: string) => {
      report({ kind: 'ended', answerLost: reason === 'answer lost' });
    },
    credentialsRefused: nothing,
    stopped: nothing,
    notStored: nothing,
  };
  const access = new VaultAccess(
    vault,
    { disk, locks, clock, random: randomBytes, log, protocol, place: 'here', events },
    clock,
    log,
    nothing,
  );
  const store = new SessionStore(access, () => ({ baseUrl, clientId }), clock, log);
  store.onDidChange(({ added, changed, removed }) => {
    for (const { accessToken } of [...added, ...changed]) {
      report({ kind: 'changed', print: printOf(accessToken), at: performance.timeOrigin + performance.now() });
    }
    if (removed.length > 0) report({ kind: 'removed' });
  });
  const obey = async (order: Order): Promise<Report> => {
    if (order.kind === 'serve') {
      const sessions = await store.serve();
      return { kind: 'served', prints: sessions.map(({ accessToken }) => printOf(accessToken)) };
    }
    const { accessToken, refreshToken, expiresIn } = order;
    const tokens = { accessToken, refreshToken, expiresIn, defects: [] };
    const credentials = { baseUrl, clientId, clientSecret };
    await store.add({ credentials, tokens, accountLabel: 'account', replaces: undefined });
    return { kind: 'added' };
  };
  process.on('message', (order: Order) => {
    obey(order).then(report, (error: unknown) => {
      report({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' });
    });
  });
  void store.run();
  void store.known().then(() => {
    report({ kind: 'ready' });
  });
}

function nothing(): void {
  // What the log and these events tell is not looked at here.
}

function printOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

function fileSecrets(file: string): SecretEntry {
  return {
    get: async () => await readFile(file, 'utf8').catch(absent),
    store: (text) => replaceFile(file, text),
    onDidChange: () => nothing,
  };
}

function readNote(file: string): KeyNote | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KeyNote;
  } catch (error) {
    absent(error);
    return;
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, file);
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

main(JSON.parse(process.argv[2] ?? '') as WindowSettings);
