import { createDraftClient } from '../../../src/oauth/draftClient';
import type { Notice } from '../../../src/sessions/notices';
import { ClientSecretStore } from '../../../src/storage/clientSecretStore';
import { SessionStore } from '../../../src/sessions/sessionStore';
import { Vault } from '../../../src/storage/vault';
import { VaultAccess } from '../../../src/storage/vaultAccess';
import { SignInFiles } from '../../../src/signin/signInFiles';
import { sendDeviceNotification } from '../../../src/signin/deviceNotification';
import type { SettingName } from '../../../src/vscode/configuration/configuration';
import { configureService } from '../../../src/vscode/configuration/configureService';
import { refreshNow } from '../../../src/vscode/accounts/refreshNow';
import { sessionCommands } from '../../../src/vscode/accounts/sessionCommands';
import { showNotice } from '../../../src/vscode/accounts/sessionNotices';
import { sessionFailureInWords } from '../../../src/vscode/accounts/sessionWords';
import { keyNotice, secretEntry } from '../../../src/vscode/accounts/storage';
import { SignIn } from '../../../src/vscode/signin/signIn';
import { type Commands, signInCommands } from '../../../src/vscode/signin/signInCommands';
import type { Fetch } from '../../../src/oauth/fetch';
import { FakeClock } from '../../support/fakeClock';
import { RecordingLog } from '../../support/recordingLog';
import { english } from '../../unit/vscode/english';
import { FakeEditor } from '../../unit/vscode/fakeEditor';
import { settings, type SettingValues } from '../../unit/vscode/settings';
import { MemoryDisk, MemoryLocks, MemorySecretStorage, MemoryState } from './memory';

const PREFIX = 'deviceFlow';
/** Of the service that is configured. */
const SERVICE = { baseUrl: 'https://service.example/v1', clientId: 'editor' };

/** All of the extension below `vscode`, in one window over a disk and a secret storage in memory. */
export class ExtensionInMemory {
  readonly clock = new FakeClock();
  readonly editor = new FakeEditor();
  readonly log = new RecordingLog();
  readonly disk: MemoryDisk;
  readonly locks: MemoryLocks;
  readonly secretStorage: MemorySecretStorage;
  readonly state: MemoryState;
  readonly notices: Notice[] = [];
  readonly store: SessionStore;
  readonly secrets: ClientSecretStore;
  readonly signIn: SignIn;
  readonly commands: Commands;
  /** What the person set. */
  readonly values: SettingValues = {
    ...SERVICE,
    serviceName: 'My Service',
    'notify.on': 'everyToken',
    'account.path': '/who',
    'account.field': 'name',
  };

  /** @param before the window before this one, whose disk and secrets this one finds */
  constructor(fetch: Fetch, random: (length: number) => Uint8Array, before?: ExtensionInMemory) {
    const { clock, editor, log, values } = this;
    this.secretStorage = before?.secretStorage ?? new MemorySecretStorage();
    this.state = before?.state ?? new MemoryState();
    this.disk = before?.disk ?? new MemoryDisk(() => clock.now());
    this.locks = before?.locks ?? new MemoryLocks();
    const { disk } = this;
    const protocol = createDraftClient({ fetch, clock, log, userAgent: 'test' });
    const parts = { disk, locks: this.locks.of(clock), clock, random, log };
    const vault = new Vault({
      ...parts,
      secrets: secretEntry(this.secretStorage),
      notice: keyNotice(this.state),
      secretsNeedReload: false,
    });
    const closing = new AbortController();
    const onNotice = (notice: Notice): void => {
      this.notices.push(notice);
      void showNotice(
        { ...actions, setClientSecret: () => Promise.resolve(), tryAgain: (id, name) => refreshNow(actions, id, name) },
        notice,
      );
    };
    const access = new VaultAccess(
      vault,
      {
        ...parts,
        protocol,
        place: 'this machine',
        events: {
          rotated: ({ record: { accessToken, service } }) => {
            if (accessToken === undefined) return;
            const shape = {
              path: '/device/notify',
              method: 'POST',
              parameters: {},
              parametersIn: 'query',
              accessTokenIn: 'query',
            } as const;
            const notification = { baseUrl: service.baseUrl, shape, accessToken };
            void sendDeviceNotification({ clock, protocol, log }, notification, closing.signal);
          },
          ended: ({ sessionId, record: { account } }, reason) => {
            onNotice({ kind: 'ended', sessionId, account, answerLost: reason === 'answer lost' });
          },
          credentialsRefused: ({ record: { service, account } }) => {
            onNotice({ kind: 'credentials refused', service, account });
          },
          stopped: ({ sessionId, record: { account } }) => {
            onNotice({ kind: 'stopped', sessionId, account });
          },
          notStored: ({ record: { account } }) => {
            onNotice({ kind: 'not stored', account });
          },
        },
      },
      clock,
      log,
      onNotice,
    );
    this.store = new SessionStore(access, () => SERVICE, clock, log);
    this.secrets = new ClientSecretStore(access, log, (service) => this.store.clientSecretChanged(service));
    const common = {
      brand: { prefix: PREFIX, displayName: 'Device Flow' },
      editor,
      l10n: english,
      language: 'en',
      log,
      clock,
      protocol,
      sessions: this.store,
      secrets: this.secrets,
      settings: () => settings(values),
      writeSetting: (name: SettingName, value: string | undefined) => {
        values[name] = value;
        return Promise.resolve();
      },
      inWords: (error: unknown) => sessionFailureInWords(english, error),
    };
    this.signIn = new SignIn({
      ...common,
      keeper: new SignInFiles({ ...parts, key: async () => (await access.open())?.key }),
      configureService: (signal) => configureService(common, signal),
    });
    const actions = {
      ...common,
      signIn: (request: Parameters<SignIn['start']>[0]) => this.signIn.start(request),
      runningSignIn: () => undefined,
      configure: () => Promise.resolve(),
      showLog: () => undefined,
    };
    this.commands = {
      ...signInCommands({ ...common, signIn: this.signIn }),
      ...sessionCommands({ ...actions, prefix: PREFIX }),
    };
  }

  /** Carries out a command, as the editor does for a person or another extension. */
  async command(name: string, argument?: unknown): Promise<unknown> {
    const command = this.commands[`${PREFIX}.${name}`];
    if (command === undefined) throw new Error(`There is no command ${name}.`);
    return await command(argument);
  }

  /** All that a person saw, heard of or has in the clipboard. */
  seen(): string {
    const { messages, remarks, progresses, faces, clipboard, opened, settingsOpened, commands, questions, lists } =
      this.editor;
    return JSON.stringify([
      messages.map(({ kind, text, buttons }) => [kind, text, buttons]),
      progresses.map(({ title, texts }) => [title, texts]),
      questions.map(({ title, prompt, placeholder, value }) => [title, prompt, placeholder, value]),
      [remarks, faces, clipboard, opened, settingsOpened, commands, lists],
    ]);
  }
}
