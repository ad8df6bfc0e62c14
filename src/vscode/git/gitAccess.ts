import { type Clock, withTimeLimit } from '../../clock';
import type { Disposable } from '../../event';
import { bestEffort, type Log } from '../../log';
import { safeUrl } from '../../oauth/address';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Editor } from '../editor/editor';
import type { GitCredentials, RepositoryPlace } from '../editor/gitExtension';
import type { ConfiguredService } from '../settings/service';
import type { Settings } from '../settings/settings';

/** Git waits for an answer without any limit of its own, and its next commands for the host wait for this one. Milliseconds. */
const PATIENCE = 5_000;

/** A git command whose answer hasn't been taken for so long has ended without it. Milliseconds. */
const TAKEN_WITHIN = 5_000;

/** A host, and perhaps a port. In anything else, such as a path that was percent-encoded, git may see another host than `URL` does. */
const HOST_AND_PORT = /^[\w.:[\]-]+$/;

/**
 * Gives VS Code's own git the access tokens of services for the hosts that their settings name (`git.hosts`): to these hosts, git may
 * send them. The setting is the person's consent.
 */
export class GitAccess implements Disposable {
  // Private, so that printing it, which VS Code holds, doesn't reveal what leads to secrets.
  readonly #editor: Pick<Editor, 'registerGitCredentials'>;
  readonly #sessions: Pick<SharedSessions, 'serve'>;
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #settingsChanges: Disposable;
  #registration: Disposable | undefined;
  /** For each host, when the next command gets its answer: when the one before has taken its own, or won't. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(
    editor: Pick<Editor, 'registerGitCredentials'>,
    sessions: Pick<SharedSessions, 'serve'>,
    settings: Settings,
    clock: Clock,
    log: Log,
  ) {
    this.#editor = editor;
    this.#sessions = sessions;
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
    this.#settingsChanges = settings.onDidChange(() => {
      this.#update();
    });
    this.#update();
  }

  dispose(): void {
    this.#settingsChanges.dispose();
    this.#registration?.dispose();
  }

  /** Git asks only while a service has hosts. */
  #update(): void {
    const isWanted = this.#settings.current.services.all.some(({ git }) => git !== undefined);
    if (isWanted) {
      this.#registration ??= this.#editor.registerGitCredentials((place) => this.#give(place));
    } else {
      this.#registration?.dispose();
      this.#registration = undefined;
    }
  }

  /**
   * The credentials for a repository; `undefined` if no service has its host, nobody is signed in there, or that isn't known in time.
   *
   * VS Code asks for them when a git command wants a user name, keeps the answer, one for each host, and reads the password when a
   * command wants that: another answer in between would take the place of the first one, and one of the two commands would ask the
   * person. So each command waits for its turn. Only then are its credentials looked up, because the token may be replaced, and the
   * settings changed, while it waits.
   */
  async #give(place: RepositoryPlace): Promise<GitCredentials | undefined> {
    const host = hostOf(place);
    if (host === undefined || this.#serviceAt(host) === undefined) {
      return undefined;
    }
    const taken = new AbortController();
    const given = (this.#turns.get(host) ?? Promise.resolve()).then(() =>
      bestEffort(this.#log, 'warn', `Git gets no credentials for ${host}`, () => this.#find(host, taken)),
    );
    this.#turns.set(
      host,
      given.then((credentials) => (credentials === undefined ? undefined : this.#untilTaken(taken.signal))),
    );
    const credentials = await given;
    if (credentials !== undefined) {
      this.#log.info(`Git gets credentials for ${host}.`);
    }
    return credentials;
  }

  #serviceAt(host: string): ConfiguredService | undefined {
    return this.#settings.current.services.all.find(({ git }) => git?.hosts.includes(host));
  }

  /** @param taken aborted when the password is read */
  async #find(host: string, taken: AbortController): Promise<GitCredentials | undefined> {
    const { git, id } = this.#serviceAt(host) ?? {};
    if (git === undefined || id === undefined) {
      return undefined;
    }
    const tooLate = (): Error => new Error('The token did not come in time.');
    const [session] = await withTimeLimit(this.#clock, PATIENCE, this.#sessions.serve(id), tooLate);
    if (session === undefined) {
      return undefined;
    }
    return {
      username: git.username,
      // VS Code says in no other way that a command has taken it.
      get password() {
        taken.abort();
        return session.accessToken;
      },
    };
  }

  async #untilTaken(taken: AbortSignal): Promise<void> {
    // It rejects when the password is read.
    await this.#clock.sleep(TAKEN_WITHIN, taken).catch(() => undefined);
  }
}

/** The host of a repository, with its port if that's not the usual one; `undefined` if no token may travel there. */
function hostOf({ authority, scheme }: RepositoryPlace): string | undefined {
  return HOST_AND_PORT.test(authority) ? safeUrl(`${scheme}://${authority}`)?.host : undefined;
}
