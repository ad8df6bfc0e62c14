import { type Clock, withTimeLimit } from '../../clock';
import { EventEmitter } from '../../event';
import { bestEffort, type Log } from '../../log';
import { isThisMachine } from '../../oauth/address';
import type { Actions, Editor } from '../editor/editor';
import type { Choice } from '../editor/quickInput';
import type { CodeDetails } from '../texts/signInTexts';
import type { Texts } from '../texts/texts';
import { createQrPage } from './qrPage';
import { untilMessageTimesOut } from './messageTimeout';

/** A clipboard that hasn't answered by then may never do so, and the browser must open all the same. Milliseconds. */
const COPY_PATIENCE = 1_000;

/** Something that can be done with a code, by the name of its texts. */
interface CodeAction {
  readonly name: 'openVerificationPage' | 'copyUserCode' | 'showQrCode' | 'copyAddress';
  /** Of the line in the menu. */
  readonly icon: string;
  /** Whether it's a button of the message, too. */
  readonly isButton: boolean;
  /** Whether it's only of use if a phone can open the verification page. */
  readonly isForPhone: boolean;
}

/** What can be done with a code, in the order of the message's buttons and of the menu. */
const CODE_ACTIONS: readonly CodeAction[] = [
  { name: 'openVerificationPage', icon: 'link-external', isButton: true, isForPhone: false },
  { name: 'copyUserCode', icon: 'copy', isButton: true, isForPhone: false },
  { name: 'showQrCode', icon: 'device-mobile', isButton: true, isForPhone: true },
  { name: 'copyAddress', icon: 'link', isButton: false, isForPhone: false },
];

/** What can be done with a code whose verification page a phone can open, or can't because it's on this machine. */
function codeActions(opensOnPhone: boolean): readonly CodeAction[] {
  return CODE_ACTIONS.filter(({ isForPhone }) => opensOnPhone || !isForPhone);
}

/** Those of them that are buttons of the message, too. */
function buttonActions(opensOnPhone: boolean): readonly CodeAction[] {
  return codeActions(opensOnPhone).filter(({ isButton }) => isButton);
}

/** The buttons of the message with the code, in their order. */
export function codeButtons({ codeButtons: texts }: Texts, opensOnPhone: boolean): string[] {
  return buttonActions(opensOnPhone).map(({ name }) => texts[name]);
}

export interface CodeMessageDependencies {
  readonly clock: Clock;
  readonly editor: Editor;
  readonly log: Log;
  readonly texts: Texts;
}

/**
 * The code of one sign-in, and what a person can do with it. Its message always looks the same, so VS Code has only one of it: a
 * new one replaces one that's still there. What just happened is said in the status bar.
 */
export class CodeMessage {
  readonly #changed = new EventEmitter<void>();
  /** The message appeared or went, or the browser was opened. */
  readonly onDidChange = this.#changed.event;
  /** Whether a phone can open the verification page: not if it's on this machine. */
  readonly opensOnPhone: boolean;
  /** The last message. Aborted when it's no longer in view. */
  #shown: AbortController | undefined;
  /** What all buttons do when the sign-in has ended: extensions can't close a message. */
  #afterEnd: (() => Promise<void> | void) | undefined;
  #isPageOpened = false;
  #isCopied = false;
  #qrPage: { dispose(): void } | undefined;

  /** @param addedScopes says which scopes the person confirms besides the sign-in itself, if there are any */
  constructor(
    private readonly dependencies: CodeMessageDependencies,
    readonly details: CodeDetails,
    readonly addedScopes: string | undefined,
  ) {
    this.opensOnPhone = !isThisMachine(new URL(details.verificationUri));
  }

  /** Whether the message is in view: not if it was answered or closed, or if VS Code has hidden it. */
  get isInView(): boolean {
    return this.#shown?.signal.aborted === false;
  }

  /** How far the person is: they still have to open the page, or to confirm the code there, which may be in the clipboard. */
  get progress(): 'not opened' | 'opened' | 'copied' {
    if (!this.#isPageOpened) {
      return 'not opened';
    }
    return this.#isCopied && this.details.task === 'enter' ? 'copied' : 'opened';
  }

  /** What can be done, under the names of the commands. */
  get choices(): readonly Choice<() => Promise<void>>[] {
    const { buttons } = this.dependencies.texts;
    const { address, code } = this.details;
    const descriptions: Partial<Record<CodeAction['name'], string>> = { copyUserCode: code, copyAddress: address };
    return codeActions(this.opensOnPhone).map(({ icon, name }) => ({
      icon,
      label: buttons[name],
      ...(descriptions[name] !== undefined && { description: descriptions[name] }),
      value: () => this.do(name),
    }));
  }

  /** Does what a command, or a line of the menu, is about. */
  async do(name: CodeAction['name']): Promise<void> {
    switch (name) {
      case 'openVerificationPage':
        await this.#openPage();
        return;
      case 'showQrCode':
        await this.#showQrCode();
        return;
      default:
        await this.#copyAndSay(name === 'copyUserCode' ? this.details.code : this.details.verificationUri);
    }
  }

  /**
   * The sign-in has ended: the page with the QR code closes.
   * @param afterEnd what the buttons of messages that are left do from now on
   */
  end(afterEnd: () => Promise<void> | void): void {
    this.#afterEnd = afterEnd;
    this.#shown?.abort();
    this.#qrPage?.dispose();
  }

  /** Shows the code, unless the sign-in has ended meanwhile. */
  show(): void {
    if (this.#afterEnd !== undefined) {
      return;
    }
    const before = this.#shown;
    const shown = new AbortController();
    const gone = (): void => {
      shown.abort();
      this.#changed.fire();
    };
    this.#shown = shown;
    before?.abort();
    this.#changed.fire();
    const { clock, editor, texts } = this.dependencies;
    void untilMessageTimesOut(clock, editor, shown.signal).then(gone, () => undefined);
    const text = texts.common.sentences(this.whatToDo, this.addedScopes);
    void editor.message('information', text, this.#buttons).then(gone);
  }

  /** The code, and where to enter it. It says everything, for screen readers. */
  get whatToDo(): string {
    return this.dependencies.texts.signIn.task[this.details.task](this.details);
  }

  /** The buttons of the message, in their order. */
  get #buttons(): Actions {
    const { codeButtons: texts } = this.dependencies.texts;
    return Object.fromEntries(
      buttonActions(this.opensOnPhone).map(({ name }) => [texts[name], () => this.#press(name)]),
    );
  }

  /** What a button does. When the sign-in has ended, each of them leads to what can be done then. */
  async #press(name: CodeAction['name']): Promise<void> {
    if (this.#afterEnd !== undefined) {
      await this.#afterEnd();
      return;
    }
    await this.do(name);
    // A message is closed by its button, so it's shown again if the person needs it to go on.
    if (name === 'copyUserCode') {
      this.show();
    }
  }

  /** Copies the code, or the address of the verification page, and says so. */
  async #copyAndSay(text: string): Promise<void> {
    const { news } = this.dependencies.texts.signIn;
    this.#say((await this.#copy(text)) ? news.copied : news.notCopied);
  }

  /** Shows the address as a QR code, for a phone; if no phone can open it, says so. */
  async #showQrCode(): Promise<void> {
    const { editor, texts } = this.dependencies;
    if (!this.opensOnPhone) {
      this.#say(texts.signIn.news.notOnPhone);
      return;
    }
    const page = await createQrPage(texts, this.details);
    if (this.#afterEnd === undefined) {
      this.#qrPage?.dispose();
      this.#qrPage = editor.page(texts.signIn.qrTitle(this.details), page);
    }
  }

  /** Copies the code and opens the verification page; if that fails, shows the code again, with where to enter it. */
  async #openPage(): Promise<void> {
    const { editor, log, texts } = this.dependencies;
    const { news } = texts.signIn;
    this.#isCopied = await this.#copy(this.details.code);
    const isOpened = await this.#succeeds("The verification page couldn't be opened", () =>
      editor.openExternal(this.details.page),
    );
    log.info(isOpened ? 'The verification page was opened.' : "The verification page wasn't opened.");
    this.#isPageOpened ||= isOpened;
    this.#changed.fire();
    if (!isOpened) {
      this.#say(news.noBrowser);
      this.show();
    } else if (!this.#isCopied) {
      this.#say(news.notCopied);
      this.show();
    }
  }

  #say(text: string): void {
    if (this.#afterEnd === undefined) {
      this.dependencies.editor.showStatusMessage(text);
    }
  }

  async #copy(text: string): Promise<boolean> {
    const { clock, editor } = this.dependencies;
    const silent = (): Error => new Error('The clipboard is silent.');
    const copy = (): Promise<void> => withTimeLimit(clock, COPY_PATIENCE, editor.copy(text), silent);
    return await this.#succeeds('Nothing could be copied', copy);
  }

  async #succeeds(failure: string, action: () => Promise<unknown>): Promise<boolean> {
    return (await bestEffort(this.dependencies.log, 'warn', failure, async () => (await action()) !== false)) ?? false;
  }
}
