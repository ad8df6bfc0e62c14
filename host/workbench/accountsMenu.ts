import type { Locator, Page } from 'playwright-core';
import { isDeepStrictEqual } from 'node:util';
import { until } from '../until';

/** The menu is drawn, or gone, by then, even on a busy machine; if not, it's tried again. Milliseconds. */
const DRAWN = 3_000;

/** Entries that VS Code always has, such as “Manage Extension Account Preferences...” */
const VS_CODES_OWN = 'Manage ';

/** The Accounts menu at the foot of the activity bar. */
export class AccountsMenu {
  constructor(private readonly page: Page) {}

  /** The entries of the menu, without those of its submenus. Leaves it closed. */
  async entries(): Promise<string[]> {
    await this.open();
    const texts = await this.items().allInnerTexts();
    await this.close();
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  }

  /** Waits until an entry matches. Leaves the menu closed. */
  waitFor(pattern: RegExp): Promise<string> {
    return until(`an entry like ${pattern.source} in the Accounts menu`, async () =>
      (await this.entries()).find((text) => pattern.test(text)),
    );
  }

  /** Waits until no entry matches. Leaves the menu closed. */
  async waitUntilGone(pattern: RegExp): Promise<void> {
    await until(
      `no entry like ${pattern.source} in the Accounts menu`,
      async () => !(await this.entries()).some((text) => pattern.test(text)),
    );
  }

  /** Waits until the menu has these accounts of a service, and no others of it. Leaves the menu closed. */
  async waitForAccounts(accounts: readonly string[], service: string): Promise<void> {
    const ending = ` (${service})`;
    const wanted = accounts.map((account) => account + ending);
    await this.waitForExactly(wanted, (entry) => entry.endsWith(ending));
  }

  /** Waits until the menu has these entries, and no others but those of VS Code. Leaves it closed. */
  async waitForAll(entries: readonly string[]): Promise<void> {
    await this.waitForExactly(entries, (entry) => !entry.startsWith(VS_CODES_OWN));
  }

  /** Waits until an entry matches, and chooses it. */
  async choose(pattern: RegExp): Promise<void> {
    await this.openWith(pattern);
    await this.click(pattern);
  }

  /** Chooses an entry of the submenu of an account. */
  async chooseFor(account: RegExp, entry: RegExp): Promise<void> {
    await this.openWith(account);
    await until('the submenu of the account to open', async () => {
      if (!(await this.item(account).isVisible())) await this.open();
      await this.item(account).click({ timeout: DRAWN });
      await this.item(entry).waitFor({ timeout: DRAWN });
      return true;
    });
    await this.click(entry);
  }

  /** The number on the menu's badge: 0 if there is none. */
  async badge(): Promise<number> {
    const badge = this.page.locator('.activitybar .action-item:has(.codicon-accounts-view-bar-icon) .badge-content');
    const texts = await badge.allInnerTexts();
    return Number(texts.find((text) => /^\d+$/.test(text.trim())) ?? 0);
  }

  /** Opens the menu, with its entries loaded. The button is covered by its badge, so the click is forced. */
  async open(): Promise<void> {
    await until('the Accounts menu to open', async () => {
      await this.page.locator('.activitybar .codicon-accounts-view-bar-icon').click({ force: true });
      // Just after the start it says that it's loading, and continues to say so until it's reopened.
      const isDrawn = await this.drawn()
        .first()
        .waitFor({ timeout: DRAWN })
        .then(
          () => true,
          () => false,
        );
      if (isDrawn) return true;
      await this.page.keyboard.press('Escape');
      return false;
    });
  }

  /** Reopens the menu until an entry matches. Leaves it open. */
  private async openWith(pattern: RegExp): Promise<void> {
    await until(`an entry like ${pattern.source} in the Accounts menu`, async () => {
      await this.open();
      if (await this.item(pattern).isVisible()) return true;
      await this.close();
      return false;
    });
  }

  private async waitForExactly(wanted: readonly string[], counts: (entry: string) => boolean): Promise<void> {
    await until(`nothing but "${wanted.join('", "')}" in the Accounts menu`, async () => {
      const shown = (await this.entries()).filter(counts);
      if (isDeepStrictEqual(shown.sort(), [...wanted].sort())) return true;
      throw new Error(`It has "${shown.join('", "')}".`);
    });
  }

  /** Clicks an entry until the menu closes: one that was just drawn takes no click yet. */
  private async click(pattern: RegExp): Promise<void> {
    let clicked = false;
    await until(`the entry like ${pattern.source} to be chosen`, async () => {
      if (clicked && !(await this.item(pattern).isVisible())) return true;
      await this.item(pattern).click({ timeout: DRAWN });
      clicked = true;
      await this.items().first().waitFor({ state: 'hidden', timeout: DRAWN });
      return true;
    });
  }

  /** A menu that's redrawn while it opens has no focus for a moment, and takes no key then. */
  private async close(): Promise<void> {
    await until('the Accounts menu to close', async () => {
      await this.page.keyboard.press('Escape');
      await this.drawn().first().waitFor({ state: 'hidden', timeout: DRAWN });
      return true;
    });
  }

  private item(pattern: RegExp): Locator {
    return this.items().filter({ hasText: pattern }).first();
  }

  /** What the menu says once it's loaded; that may be only that there are no accounts, which can't be chosen. */
  private drawn(): Locator {
    return this.page
      .locator('.monaco-menu .action-label:not(.separator):visible')
      .filter({ hasNotText: /^\s*Loading/ });
  }

  private items(): Locator {
    return this.page.locator('.monaco-menu .action-item:not(.disabled) .action-label:visible');
  }
}
