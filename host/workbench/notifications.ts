import type { Locator, Page } from 'playwright-core';
import { ONE_TRY, until } from '../until';

/** A notification as it is drawn. */
export interface Notification {
  /** The text, links included. */
  readonly text: string;
  /** The texts of its buttons. */
  readonly buttons: readonly string[];
}

/** Longer than the editor waits before it lets a message pop up. Milliseconds. */
const POPS_UP_WITHIN = 10_000;

/** The notifications of a window: those that pop up, and those in the center while that is open. */
export class Notifications {
  constructor(private readonly page: Page) {}

  /** All that are drawn now, newest first. */
  async list(): Promise<Notification[]> {
    return this.items().evaluateAll(readAll);
  }

  /**
   * Waits for one whose text matches. The editor lets only a few pop up within a short time, and sends others to the
   * center at once, so that's opened if none pops up, and closed again.
   */
  async waitFor(pattern: RegExp): Promise<Notification> {
    return this.look(pattern, (found) => Promise.resolve(found));
  }

  /** Clicks a button of the notification whose text matches, waiting for both. */
  async click(pattern: RegExp, button: string): Promise<void> {
    await this.press(pattern, button, '.notification-list-item-buttons-container .monaco-button');
  }

  /** Follows a link in the text of the notification that matches, waiting for both. */
  async follow(pattern: RegExp, link: string): Promise<void> {
    await this.press(pattern, link, '.notification-list-item-message a');
  }

  private async press(pattern: RegExp, label: string, selector: string): Promise<void> {
    const found = this.item(pattern).locator(selector).filter({ hasText: label }).first();
    await this.look(pattern, () =>
      until(`"${label}" to be pressed`, async () => {
        await found.click({ timeout: ONE_TRY });
        return true;
      }),
    );
  }

  /** Waits for one whose text matches, closes it by its cross unless it goes by itself, and resolves with its text. */
  async take(pattern: RegExp): Promise<string> {
    return this.look(pattern, async ({ text }) => {
      await until(`the notification like ${pattern.source} to be closed`, async () => {
        if (!(await this.list()).some((one) => pattern.test(one.text))) return true;
        const item = this.item(pattern);
        await item.hover({ timeout: ONE_TRY });
        await item.locator('.codicon-notifications-clear').first().click({ timeout: ONE_TRY });
        return false;
      });
      return text;
    });
  }

  /** Opens the center, where notifications stay whose pop-up has gone; a second call closes it. Moves no mouse. */
  async toggleCentre(): Promise<void> {
    await this.page.locator('.part.statusbar #status\\.notifications a').dispatchEvent('click');
  }

  /** Does something with a notification that's drawn. If the center had to be opened for that, closes it again. */
  private async look<T>(pattern: RegExp, use: (found: Notification) => Promise<T>): Promise<T> {
    const openCentreAt = performance.now() + POPS_UP_WITHIN;
    const wasOpen = await this.center().isVisible();
    const found = await until(`a notification like ${pattern.source}`, async () => {
      const one = (await this.list()).find(({ text }) => pattern.test(text));
      if (one === undefined && performance.now() > openCentreAt && !(await this.center().isVisible())) {
        await this.toggleCentre();
      }
      return one;
    });
    const result = await use(found);
    if (!wasOpen && (await this.center().isVisible())) await this.toggleCentre();
    return result;
  }

  private center(): Locator {
    return this.page.locator('.notifications-center.visible');
  }

  private item(pattern: RegExp): Locator {
    const message = this.page.locator('.notification-list-item-message', { hasText: pattern });
    return this.items().filter({ has: message }).first();
  }

  private items(): Locator {
    return this.page.locator('.notification-list-item:visible');
  }
}

/** What is asked of an element of the page. */
interface Drawn {
  readonly innerText: string;
  querySelectorAll(selector: string): Iterable<Drawn>;
}

/** Reads all at once, within the page: one that has gone a moment later would be waited for. */
function readAll(items: readonly Drawn[]): Notification[] {
  const texts = (item: Drawn, selector: string): string[] =>
    Array.from(item.querySelectorAll(selector), ({ innerText }) => innerText.trim()).filter((text) => text !== '');
  return items.map((item) => ({
    text: texts(item, '.notification-list-item-message').join(' '),
    buttons: texts(item, '.notification-list-item-buttons-container .monaco-button'),
  }));
}
