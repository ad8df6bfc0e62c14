import type { Locator, Page } from 'playwright-core';
import { until } from '../until';

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
  waitFor(pattern: RegExp, timeout?: number): Promise<string> {
    return until(
      `an entry like ${pattern.source} in the Accounts menu`,
      async () => (await this.entries()).find((text) => pattern.test(text)),
      timeout,
    );
  }

  /** Waits until no entry matches. Leaves the menu closed. */
  async waitUntilGone(pattern: RegExp, timeout?: number): Promise<void> {
    await until(
      `no entry like ${pattern.source} in the Accounts menu`,
      async () => !(await this.entries()).some((text) => pattern.test(text)),
      timeout,
    );
  }

  /** Waits until an entry matches, and chooses it. */
  async choose(pattern: RegExp): Promise<void> {
    await this.waitFor(pattern);
    await this.open();
    await this.items().filter({ hasText: pattern }).first().click();
  }

  /** Chooses an entry of the submenu of an account. */
  async chooseFor(account: RegExp, entry: RegExp): Promise<void> {
    await this.choose(account);
    await this.items().filter({ hasText: entry }).first().click();
  }

  /** The number on the menu's badge: 0 where there is none. */
  async badge(): Promise<number> {
    const badge = this.page.locator('.activitybar .action-item:has(.codicon-accounts-view-bar-icon) .badge-content');
    const texts = await badge.allInnerTexts();
    return Number(texts.find((text) => /^\d+$/.test(text.trim())) ?? 0);
  }

  /** Opens the menu. The button is covered by its badge, so the click is forced; one that comes too early does nothing. */
  async open(): Promise<void> {
    await until('the Accounts menu to open', async () => {
      if (await this.items().first().isVisible()) return true;
      await this.page.locator('.activitybar .codicon-accounts-view-bar-icon').click({ force: true });
      await this.items().first().waitFor({ timeout: 1_000 });
      return true;
    });
  }

  private async close(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await this.items().first().waitFor({ state: 'hidden' });
  }

  private items(): Locator {
    return this.page.locator('.monaco-menu .action-item:not(.disabled) .action-label:visible');
  }
}
