import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../clock';
import type { Log } from '../../log';
import type { OAuthClient, ServiceId } from '../../oauth/client';
import { NodeDisk } from '../../storage/nodeDisk';
import type { Notice } from '../../sessions/notices';
import type { JournalEntry } from '../../storage/record';
import { ClientSecretStore } from '../../storage/clientSecretStore';
import { SessionStore } from '../../sessions/sessionStore';
import { SqliteLocks } from '../../storage/sqliteLocks';
import { Vault } from '../../storage/vault';
import { VaultAccess } from '../../storage/vaultAccess';
import type { VaultKey } from '../../storage/cipher';
import { SignInFiles } from '../../signin/signInFiles';
import type { Brand } from '../brand';
import { placeOf } from './place';
import { keyNotice, secretEntry } from './storage';

/** What the sessions need from the rest of the extension. */
export interface SessionSurroundings {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly log: Log;
  readonly protocol: OAuthClient;
  /** The configured service; `undefined` while none is. */
  readonly service: () => ServiceId | undefined;
  readonly onNotice: (notice: Notice) => void;
  /** This window's refresh brought a new token. */
  readonly onRotated: (entry: JournalEntry) => void;
}

/** What is kept beyond the life of a window. */
export interface KeptParts {
  readonly sessions: SessionStore;
  readonly clientSecrets: ClientSecretStore;
  readonly signIns: SignInFiles;
}

/** Puts together what keeps sessions and sign-ins, on the editor's storage folder, SecretStorage and state. */
export function createKeptParts(context: vscode.ExtensionContext, around: SessionSurroundings): KeptParts {
  const { brand, clock, log, protocol, onNotice } = around;
  const folder = context.globalStorageUri.fsPath;
  const place = placeOf(thisMachine(), folder);
  const disk = new NodeDisk(folder, log);
  const spareLocks = join(tmpdir(), `${brand.extensionId}-${userName()}-${place}`);
  const locks = new SqliteLocks([join(folder, 'locks'), spareLocks], () => import('node:sqlite'), clock, log);
  const vault = new Vault({
    secrets: secretEntry(context.secrets),
    notice: keyNotice(context.globalState),
    disk,
    locks,
    clock,
    random: randomBytes,
    log,
    secretsNeedReload: vscode.env.uiKind === vscode.UIKind.Web,
  });
  const access = new VaultAccess(
    vault,
    {
      disk,
      locks,
      clock,
      random: randomBytes,
      log,
      protocol,
      place,
      events: {
        rotated: around.onRotated,
        ended: ({ sessionId, record }, reason) => {
          access.forgetRecovery(sessionId);
          onNotice({ kind: 'ended', sessionId, account: record.account, answerLost: reason === 'answer lost' });
        },
        credentialsRefused: ({ record }) => {
          onNotice({ kind: 'credentials refused', service: record.service, account: record.account });
        },
        stopped: ({ sessionId, record }) => {
          onNotice({ kind: 'stopped', sessionId, account: record.account });
        },
        notStored: ({ record }) => {
          onNotice({ kind: 'not stored', account: record.account });
        },
      },
    },
    clock,
    log,
    onNotice,
  );
  const key = async (): Promise<VaultKey | undefined> => (await access.open())?.key;
  const sessions = new SessionStore(access, around.service, clock, log);
  return {
    sessions,
    clientSecrets: new ClientSecretStore(access, log, (service) => sessions.clientSecretChanged(service)),
    signIns: new SignInFiles({ disk, locks, clock, random: randomBytes, log, key }),
  };
}

/** Who runs this: in a container a user may have a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'user');
  }
}

function thisMachine(): Parameters<typeof placeOf>[0] {
  const elsewhere = vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web;
  return {
    editorMachineId: elsewhere ? undefined : vscode.env.machineId,
    systemMachineId: elsewhere ? systemMachineId() : undefined,
    hostName: hostname(),
  };
}

function systemMachineId(): string | undefined {
  try {
    return readFileSync('/etc/machine-id', 'utf8');
  } catch {
    // Containers and other systems have none: the host name must do.
    return undefined;
  }
}
