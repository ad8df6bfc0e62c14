import { type Log, safeTrace } from '../log';
import type { Notice } from '../sessions/notices';
import type { CurrentSession } from '../sessions/sessions';
import type { Actions } from './actions';
import type { SignsIn } from './provider/provider';

/** What stands in for the actions until they are needed. */
export interface ActionsWhenNeededParts {
  readonly load: () => Promise<Actions>;
  /** Whether a sign-in of some window is kept, with which the actions may go on. */
  readonly signInsWait: () => Promise<boolean>;
  readonly log: Log;
}

/** The actions, loaded with the first of them. */
export class ActionsWhenNeeded implements SignsIn {
  #loading: Promise<Actions> | undefined;
  #loaded: Actions | undefined;
  #over = false;

  constructor(private readonly parts: ActionsWhenNeededParts) {}

  /** Runs a sign-in, or joins the one that runs. */
  async signIn(request: { readonly replaces?: string }): Promise<CurrentSession> {
    return await (await this.#actions()).signIn.signIn(request);
  }

  /**
   * Carries out a command.
   * @param name its whole name
   * @throws RangeError where there is none of that name; otherwise whatever the command throws
   */
  async run(name: string, argument: unknown): Promise<unknown> {
    const command = (await this.#actions()).commands[name];
    if (command === undefined) {
      throw new RangeError(`There is no command ${name}.`);
    }
    return await command(argument);
  }

  /** Goes on with a sign-in of a window that is gone, where there is one. */
  async resume(): Promise<void> {
    await this.#logged('A kept sign-in can’t be gone on with', async () => {
      if (this.#loading !== undefined || (await this.parts.signInsWait())) {
        await (await this.#actions()).signIn.resume();
      }
    });
  }

  /** Other settings hold now. Nothing is loaded for that: a sign-in that is not loaded does not run. */
  configurationChanged(): void {
    void this.#loaded?.signIn.configurationChanged();
  }

  /** Tells the person what became of a session. */
  async showNotice(notice: Notice): Promise<void> {
    await this.#logged('A message can’t be shown', async () => {
      await (await this.#actions()).showNotice(notice);
    });
  }

  /** The window closes: waits for a sign-in's tokens to be stored. */
  async close(): Promise<void> {
    this.#over = true;
    await this.#loaded?.signIn.close();
  }

  #actions(): Promise<Actions> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Actions> {
    try {
      const actions = await this.parts.load();
      if (this.#over) {
        throw new Error('The window closes.');
      }
      this.#loaded = actions;
      return actions;
    } catch (error) {
      // Tried again with the next.
      this.#loading = undefined;
      throw error;
    }
  }

  async #logged(what: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.parts.log.error(`${what}. ${safeTrace(error)}`);
    }
  }
}
