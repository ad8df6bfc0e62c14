import type { Locator, Page } from 'playwright-core';
import { ONE_TRY, until } from '../until';

/** A modal dialog, such as the one that asks for consent. */
export class Dialog {
  constructor(private readonly page: Page) {}

  /** Waits for a dialog whose text matches, and resolves with its text. */
  waitFor(pattern: RegExp): Promise<string> {
    return until(`a dialog like ${pattern.source}`, async () => {
      const text = await this.text();
      return text !== undefined && pattern.test(text) ? text : undefined;
    });
  }

  /** The text of the dialog that is open, if one is. */
  async text(): Promise<string | undefined> {
    if (!(await this.box().isVisible())) return undefined;
    const message = await this.box().locator('.dialog-message-text').allInnerTexts();
    const detail = await this.box().locator('.dialog-message-detail').allInnerTexts();
    return [...message, ...detail].map((text) => text.trim()).join('\n');
  }

  /** Waits for a dialog whose text matches and clicks one of its buttons. */
  async answer(pattern: RegExp, button: string): Promise<void> {
    await until(`"${button}" to be pressed in a dialog like ${pattern.source}`, async () => {
      if (!pattern.test((await this.text()) ?? '')) return false;
      const buttons = this.box().locator('.dialog-buttons .monaco-button', { hasText: button });
      await buttons.first().click({ timeout: ONE_TRY });
      return true;
    });
    await this.box().waitFor({ state: 'hidden' });
  }

  private box(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }
}
