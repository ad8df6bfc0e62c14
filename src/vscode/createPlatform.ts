import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { Database } from '../storage/database';
import { LockFiles } from '../storage/lockFiles';
import type { Platform, SecretPort } from '../storage/platform';

/** What a platform is made of, besides what VS Code gives to an extension. */
export interface PlatformOptions extends Pick<Platform, 'clock' | 'log' | 'secretsNeedReload'> {
  /** The ID that VS Code gives to the installation on the person's own machine (`vscode.env.machineId`). */
  readonly editorId: string;
  /** The name of the store, if the extension has several. */
  readonly storeName?: string;
}

/**
 * Name of the store: of its folder, in the one that VS Code gives to the extension, and of its item in SecretStorage. If the store
 * changes so that versions before and after can't share it, it gets another name, and the old one is left aside.
 */
const STORE = 'store-3';

/** What this machine and the editor offer for storing things: the storage folder and SecretStorage. */
export function createPlatform(
  context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'secrets'>,
  { editorId, storeName, ...given }: PlatformOptions,
): Platform {
  const path = realPath(context.globalStorageUri.fsPath);
  const folder = join(path, STORE, ...(storeName === undefined ? [] : [storeName]));
  const named = (name: string): string => (storeName === undefined ? name : `${storeName}.${name}`);
  const origin = named(originName(thisMachine(), folder));
  const { clock, log } = given;
  const locks = new LockFiles(join(folder, 'locks'), clock, log);
  return {
    ...given,
    rows: new Database(folder, origin, locks, clock, log),
    locks,
    secrets: secretPort(context.secrets, `${STORE}.${origin}`),
    // Windows of a browser that visits for the first time may have different IDs, although they have the same secrets.
    secretsOwner: given.secretsNeedReload ? origin : hashOf([origin, editorId]),
    random: randomBytes,
  };
}

/** The path without links, however it's reached. What doesn't exist yet isn't one. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** One item of SecretStorage. Its errors reveal nothing of what it holds: VS Code's may quote what they were given. */
export function secretPort(secrets: Pick<vscode.SecretStorage, 'get' | 'store'>, itemName: string): SecretPort {
  const withoutMessage = async <T>(call: () => Thenable<T>): Promise<T> => {
    try {
      return await call();
    } catch {
      throw new Error('SecretStorage failed.');
    }
  };
  return {
    get: () => withoutMessage(() => secrets.get(itemName)),
    store: (text) => withoutMessage(() => secrets.store(itemName, text)),
  };
}

/** The machine's ID on most Linux systems. */
const MACHINE_ID = '/etc/machine-id';

/** Docker and Podman put one of them into each container. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/** What tells this machine from others. The ID is empty if the system has none in a file. */
function thisMachine() {
  let machineId = '';
  try {
    machineId = readFileSync(MACHINE_ID, 'utf8').trim();
  } catch {
    // Containers and other systems have none.
  }
  const isContainer = CONTAINER_MARKS.some((file) => existsSync(file));
  return { platform: process.platform, machineId, hostName: hostname(), isContainer };
}

/**
 * Names the machine and the folder that sessions are kept in. Several remote machines may use the same SecretStorage,
 * and a home folder may be copied or shared, but locks and journals work on one machine only. So everything that's
 * stored outside the folder is stored under this name.
 *
 * Every window on this machine gets the same name, local or attached to a remote, with telemetry on or off, which
 * isn't true of the editor's machine ID and the name of its remote. On Linux, machines and containers have an ID in a
 * file, or else a host name that stays the same. Containers made of one image may have the same ID, so there the host name
 * counts too: it's the ID of the container, unless somebody sets another. macOS changes its host name with the network, and
 * neither macOS nor Windows has such a file, so there all machines with the same folder have the same name.
 */
export function originName(machine: ReturnType<typeof thisMachine>, folder: string): string {
  return hashOf([machine.platform, machine.platform === 'linux' ? linuxName(machine) : '', folder]);
}

function linuxName({ hostName, isContainer, machineId }: ReturnType<typeof thisMachine>): string {
  if (machineId === '') {
    return hostName;
  }
  return isContainer ? `${machineId} ${hostName}` : machineId;
}

function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
