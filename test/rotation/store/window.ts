import type { SecretStorage } from 'vscode';
import { type Clock, systemClock } from '../../../src/clock';
import type { ServiceId } from '../../../src/oauth/service';
import { Revoker } from '../../../src/sessions/revoker';
import { SharedSessions } from '../../../src/sessions/sharedSessions';
import { ClientSecrets } from '../../../src/storage/clientSecrets';
import { Database } from '../../../src/storage/database';
import { StoreOpener } from '../../../src/storage/openStore';
import { createPlatform } from '../../../src/vscode/createPlatform';
import { RecordingLog } from '../../support/recordingLog';
import type { TestService } from '../../unit/sessions/testService';

const SERVICE: ServiceId = { baseUrl: 'https://service.example', clientId: 'client', protocol: 'draft' };

/** A window of the editor with the real store, whose storage folder has this path. */
export class Window {
  readonly sessions: SharedSessions;
  readonly log = new RecordingLog();
  readonly #clientSecrets: ClientSecrets;
  readonly #rows: unknown;

  constructor(
    folder: string,
    secrets: Pick<SecretStorage, 'get' | 'store'>,
    private readonly service: TestService,
    clock: Clock = systemClock,
  ) {
    const log = this.log;
    const context = { globalStorageUri: { fsPath: folder }, secrets };
    const platform = createPlatform(context as Parameters<typeof createPlatform>[0], {
      clock,
      log,
      editorId: 'editor',
      secretsNeedReload: false,
    });
    this.#rows = platform.rows;
    const store = new StoreOpener(platform);
    const clientSecrets = new ClientSecrets(store, log);
    this.#clientSecrets = clientSecrets;
    const { client } = service;
    const revoker = new Revoker(client, clientSecrets, log);
    const configuredServices = (): readonly ServiceId[] => [SERVICE];
    this.sessions = new SharedSessions(platform, store, client, clientSecrets, revoker, configuredServices);
  }

  /** The accounts that are signed in. */
  async accounts(): Promise<readonly string[]> {
    return (await this.sessions.serve(SERVICE)).map(({ account }) => account.label);
  }

  /** Returns the session's ID. */
  async signIn(label: string): Promise<string> {
    const id = await this.sessions.add({ service: SERVICE, tokens: this.service.grant(), label });
    await this.sessions.assignAccount(id, { label, user: undefined, mustShowUser: false, accountId: undefined });
    return id;
  }

  async enterClientSecret(): Promise<void> {
    await this.#clientSecrets.set(SERVICE, 'client.secret');
  }

  async close(): Promise<void> {
    await this.sessions.close();
    if (this.#rows instanceof Database) this.#rows.close();
  }
}
