import type { NetworkError } from '../../oauth/errors';
import type { WaitingForUser } from '../../signin/states';
import { MENU_COMMAND } from '../commandNames';
import { buttons } from '../words/buttons';
import { CodeMessage } from './codeMessage';
import { noAnswerInWords } from './answerWords';
import { shownAddress } from '../texts/plainText';
import { SignInProgress } from './signInProgress';
import { opensOnPhone } from './qrPanel';
import type { SignInParts } from './signInParts';
import { menuPlaceholder, noCodeYetMessage, progressTitle, unreachableMessage } from './signInWords';

/** What a person can set off from what is shown. */
export interface SignInViewActions {
  readonly cancel: () => void;
  /** Begins a new sign-in after this one is over. */
  readonly again: () => void;
}

/** All that is shown of one running sign-in. */
export class SignInView {
  readonly #progress: SignInProgress;
  #code: CodeMessage | undefined;
  #unreachableTold = false;

  /** @param resumed whether another window began it */
  constructor(
    private readonly parts: SignInParts,
    private readonly service: string,
    private readonly resumed: boolean,
    private readonly actions: SignInViewActions,
  ) {
    this.#progress = new SignInProgress(parts, {
      service,
      menuCommand: `${parts.brand.prefix}.${MENU_COMMAND}`,
      onCancel: actions.cancel,
    });
  }

  /** Shows the code, or that the service can't be reached for the moment. */
  wait({ userCode, verificationUri, expiresAt, unreachable }: WaitingForUser): void {
    const { parts, service } = this;
    const topic = { service, userCode, verificationUri };
    this.#progress.wait({ ...topic, expiresAt, reachable: unreachable === undefined });
    if (this.#code === undefined) {
      this.#code = new CodeMessage(parts, topic, this.actions.again);
      parts.editor.setContext(`${parts.brand.prefix}.waitingForUser`, true);
      void (this.resumed ? this.#code.showResumed() : this.#code.show());
    }
    if (unreachable !== undefined) {
      parts.log.warn(`The service can't be reached; the sign-in goes on. ${unreachable.message}`);
      void this.#tellUnreachable(unreachable);
    }
  }

  /** Shows the code again. */
  async showCode(): Promise<void> {
    await this.#withCode((code) => code.show());
  }

  /** Copies the code. */
  async copyCode(): Promise<void> {
    await this.#withCode((code) => code.copyCode());
  }

  /** Opens the verification page, and copies the code. */
  async openPage(): Promise<void> {
    await this.#withCode((code) => code.openPage());
  }

  /** Shows the address as a QR code, for a phone. */
  async showQrCode(): Promise<void> {
    await this.#withCode((code) => code.showQrCode());
  }

  /** Offers all that can be done while the sign-in runs, under the names of the commands that do it. */
  async menu(): Promise<void> {
    const { editor, l10n } = this.parts;
    const { openVerificationPage, copyUserCode, copyAddress, showQrCode, cancelSignIn } = buttons(l10n);
    const code = this.#code;
    const choices = [
      ...(code === undefined
        ? []
        : [
            { icon: 'link-external', label: openVerificationPage, value: () => code.openPage() },
            { icon: 'copy', label: copyUserCode, description: code.topic.userCode, value: () => code.copyCode() },
            {
              icon: 'link',
              label: copyAddress,
              description: shownAddress(code.topic.verificationUri),
              value: () => code.copyAddress(),
            },
            ...(opensOnPhone(code.topic.verificationUri)
              ? [{ icon: 'device-mobile', label: showQrCode, value: () => code.showQrCode() }]
              : []),
          ]),
      { icon: 'close', label: cancelSignIn, value: this.actions.cancel },
    ];
    const title = progressTitle(l10n, this.service);
    const chosen = await editor.choose<() => Promise<void> | void>(
      title,
      code === undefined ? noCodeYetMessage(l10n) : menuPlaceholder(l10n),
      choices,
    );
    await chosen?.();
  }

  /** Takes away what can be taken away. Idempotent. */
  end(): void {
    this.#progress.end();
    this.#code?.end();
    this.parts.editor.setContext(`${this.parts.brand.prefix}.waitingForUser`, false);
  }

  async #tellUnreachable(unreachable: NetworkError): Promise<void> {
    if (this.#unreachableTold) {
      return;
    }
    this.#unreachableTold = true;
    const { brand, editor, l10n } = this.parts;
    const { showLog } = buttons(l10n);
    const text = unreachableMessage(l10n, noAnswerInWords(l10n, this.service, unreachable));
    // The editor shows one line of a message without a button.
    if ((await editor.message('warning', text, showLog)) === showLog) {
      await editor.run(`${brand.prefix}.showLog`);
    }
  }

  async #withCode(action: (code: CodeMessage) => Promise<void>): Promise<void> {
    if (this.#code === undefined) {
      this.parts.editor.remark(noCodeYetMessage(this.parts.l10n));
    } else {
      await action(this.#code);
    }
  }
}
