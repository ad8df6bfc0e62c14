import { bestEffort, type Log } from '../log';
import { dialectOf } from '../oauth/dialect';
import type { SharedSessions } from '../sessions/sharedSessions';
import type { ClientSecrets } from '../storage/clientSecrets';
import type { Disposable } from '../event';
import type { Settings } from './settings/settings';

/** A step that's checked off here. VS Code checks off the last one, which is only to be read, when it's opened. */
export type Step = 'configure' | 'signIn';

/**
 * Checks off the steps of the walkthrough that are done, each once. VS Code's events for that don't notice what was true before
 * somebody opened a walkthrough. So in the manifest, no event does (`onContext:false`), because without any, a click on a
 * step's button would.
 */
export class Walkthrough {
  readonly #checkedOff = new Set<Step>();
  readonly #subscriptions: readonly Disposable[];

  /** @param checkOff makes VS Code check off a step, which it remembers */
  constructor(
    private readonly checkOff: (step: Step) => Promise<void>,
    private readonly clientSecrets: Pick<ClientSecrets, 'get' | 'onDidStore'>,
    private readonly sessions: Pick<SharedSessions, 'list' | 'onDidChange'>,
    private readonly settings: Pick<Settings, 'current' | 'onDidChange'>,
    private readonly log: Log,
  ) {
    const update = (): void => void this.update();
    this.#subscriptions = [
      clientSecrets.onDidStore(update),
      sessions.onDidChange(update),
      settings.onDidChange(update),
    ];
  }

  /** Checks off what's done by now. Never rejects. */
  async update(): Promise<void> {
    await bestEffort(this.log, 'debug', "The walkthrough's steps can't be checked off", async () => {
      const service = this.settings.current.services.default;
      const isSignedIn = (await this.sessions.list()).length > 0;
      if (service !== undefined) {
        const hasSecret =
          isSignedIn ||
          (await this.clientSecrets.get(service.id, dialectOf(service.id).clientsNeedSecrets)) !== undefined;
        if (hasSecret) {
          await this.#done('configure');
        }
      }
      if (isSignedIn) {
        await this.#done('signIn');
      }
    });
  }

  dispose(): void {
    this.#subscriptions.forEach((one) => one.dispose());
  }

  async #done(step: Step): Promise<void> {
    if (!this.#checkedOff.has(step)) {
      this.#checkedOff.add(step);
      await this.checkOff(step);
    }
  }
}
