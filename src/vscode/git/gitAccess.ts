import { type Clock, withTimeLimit } from '../../clock';
import type { Disposable } from '../../event';
import { bestEffort, type Log } from '../../log';
import { safeUrl } from '../../oauth/address';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Editor } from '../editor/editor';
import type { GitCredentials, RepositoryPlace } from '../editor/gitExtension';
import type { ConfiguredService } from '../settings/service';
import type { Settings } from '../settings/settings';

/** Git waits for an answer without any limit of its own. Milliseconds. */
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
  /** For each host whose last answer no git command has taken yet: resolves when one has, or none will. */
  readonly #untaken = new Map<string, Promise<void>>();

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

  /** The credentials for a repository; `undefined` if no service has its host, nobody is signed in there, or that isn't known in time. */
  async #give(place: RepositoryPlace): Promise<GitCredentials | undefined> {
    const host = hostOf(place);
    const service = this.#settings.current.services.all.find(({ git }) => git?.hosts.some((one) => one === host));
    if (host === undefined || service === undefined) {
      return undefined;
    }
    const find = () => this.#find(service, host);
    const credentials = await bestEffort(this.#log, 'warn', `Git gets no credentials for ${host}`, find);
    if (credentials !== undefined) {
      this.#log.info(`Git gets credentials for ${host}.`);
    }
    return credentials;
  }

  async #find({ git, id }: ConfiguredService, host: string): Promise<GitCredentials | undefined> {
    const tooLate = (): Error => new Error('The token did not come in time.');
    const [session] = await withTimeLimit(this.#clock, PATIENCE, this.#sessions.serve(id), tooLate);
    if (session === undefined || git === undefined) {
      return undefined;
    }
    const onTaken = await this.#turn(host);
    return {
      username: git.username,
      get password() {
        onTaken();
        return session.accessToken;
      },
    };
  }

  /**
   * Waits until the last answer for this host has been taken. VS Code asks for credentials when a git command wants a user name, keeps the
   * answer, one for each host, and reads the password when a command wants that: another answer in between would take the place of the
   * first one, and one of the two commands would ask the person.
   * @returns what to call when the next answer, which the caller may give now, is taken
   */
  async #turn(host: string): Promise<() => void> {
    while (this.#untaken.has(host)) {
      await this.#untaken.get(host);
    }
    const taken = new AbortController();
    const untilTaken = this.#clock.sleep(TAKEN_WITHIN, taken.signal).catch(() => undefined);
    this.#untaken.set(
      host,
      untilTaken.finally(() => this.#untaken.delete(host)),
    );
    return () => {
      taken.abort();
    };
  }
}

/** The host of a repository, with its port if that's not the usual one; `undefined` if no token may travel there. */
function hostOf({ authority, scheme }: RepositoryPlace): string | undefined {
  return HOST_AND_PORT.test(authority) ? safeUrl(`${scheme}://${authority}`)?.host : undefined;
}
