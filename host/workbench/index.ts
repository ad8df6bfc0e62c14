import type { FrameLocator, Page } from 'playwright-core';
import { PICTURES_VARIABLE, takePicture } from '../picture';
import { ONE_TRY, until } from '../until';
import { AccountsMenu } from './accountsMenu';
import { Dialog } from './dialog';
import { Notifications } from './notifications';
import { QuickInput } from './quickInput';

/** A window of VS Code as a person uses it: what is drawn, and what can be clicked and typed. */
export class Workbench {
  readonly notifications: Notifications;
  readonly quickInput: QuickInput;
  readonly accounts: AccountsMenu;
  readonly dialog: Dialog;

  constructor(readonly page: Page) {
    this.notifications = new Notifications(page);
    this.quickInput = new QuickInput(page);
    this.accounts = new AccountsMenu(page);
    this.dialog = new Dialog(page);
  }

  /** Waits until the window is drawn. */
  async waitUntilDrawn(timeout: number): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout });
    await this.page.locator('.activitybar .codicon-accounts-view-bar-icon').waitFor({ timeout });
  }

  /** Runs a command by its title, as the command palette shows it, such as `Device Flow: Sign In`. */
  async runCommand(title: string): Promise<void> {
    await until(`the command "${title}" to be in the command palette`, async () => {
      await this.openCommandPalette(title);
      return this.quickInput.tryPick(title, 2_000);
    });
  }

  /** Reopens it: while it's open, it doesn't notice commands of extensions that have just been found. */
  private async openCommandPalette(text: string): Promise<void> {
    if (await this.quickInput.isOpen()) {
      await this.quickInput.cancel();
      await this.quickInput.waitUntilClosed(ONE_TRY);
    }
    await this.page.keyboard.press('F1');
    await this.quickInput.type(`>${text}`, ONE_TRY);
  }

  /** Takes away all notifications, those also whose pop-up has gone meanwhile. */
  async clearNotifications(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
  }

  /** The texts of all items in the status bar, icons left out. */
  async statusBar(): Promise<string[]> {
    const texts = await this.page.locator('.part.statusbar .statusbar-item:visible').allInnerTexts();
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  }

  /** Waits until an item of the status bar matches, and resolves with its text. */
  statusBarItem(pattern: RegExp): Promise<string> {
    return until(`an item like ${pattern.source} in the status bar`, async () =>
      (await this.statusBar()).find((text) => pattern.test(text)),
    );
  }

  /** What is in the clipboard. */
  clipboard(): Promise<string> {
    return this.page.evaluate('navigator.clipboard.readText()');
  }

  /** The page of an extension that the window shows: a frame in a frame of VS Code's. */
  webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Reloads the window, as `Developer: Reload Window` does. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.waitUntilDrawn(60_000);
  }

  /** Keeps a picture of the window as `artifacts/<name>.png`, if somebody wants to look at it. */
  async screenshot(name: string): Promise<void> {
    if (process.env[PICTURES_VARIABLE] !== undefined) {
      await takePicture(this.page, name);
    }
  }
}
