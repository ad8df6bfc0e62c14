import type { Locator, Page } from 'playwright-core';
import { ONE_TRY, until } from '../until';

/** Within a row. */
const LABEL = '.quick-input-list-rows .quick-input-list-row:first-child';

/** The box at the top of the window in which things are picked and typed. */
export class QuickInput {
  constructor(private readonly page: Page) {}

  /** Waits until it is open. */
  async waitUntilOpen(timeout?: number): Promise<void> {
    await until('the quick input to open', () => this.isOpen(), timeout);
  }

  isOpen(): Promise<boolean> {
    return this.widget().isVisible();
  }

  async waitUntilClosed(timeout?: number): Promise<void> {
    await until('the quick input to close', async () => !(await this.isOpen()), timeout);
  }

  /** Its title, or an empty text. */
  async title(): Promise<string> {
    return (await this.widget().locator('.quick-input-title').innerText()).trim();
  }

  /** The text below the field: the prompt, or why what was typed is refused. */
  async message(): Promise<string> {
    return (await this.widget().locator('.quick-input-message').innerText()).trim();
  }

  /** What stands in the field while it's empty. */
  async placeholder(): Promise<string> {
    return (await this.field().getAttribute('placeholder')) ?? '';
  }

  /** Whether what is typed is hidden. */
  async isPassword(): Promise<boolean> {
    return (await this.field().getAttribute('type')) === 'password';
  }

  /** What is in the field. */
  value(): Promise<string> {
    return this.field().inputValue();
  }

  /** Replaces what is in the field. */
  async type(text: string, timeout?: number): Promise<void> {
    await this.waitUntilOpen(timeout);
    await this.field().fill(text, timeout === undefined ? {} : { timeout });
  }

  /** Replaces what is in the field and accepts it. */
  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** The labels of the entries that are drawn. */
  async labels(): Promise<string[]> {
    await this.waitUntilOpen();
    return this.drawn();
  }

  /** Waits for the entry with this label, and takes it. */
  async pick(label: string): Promise<void> {
    await until(`the entry "${label}" in the quick pick`, () => this.tryPick(label, 500));
  }

  /** Takes the entry with this label; false if there is none within `timeout` milliseconds. */
  async tryPick(label: string, timeout: number): Promise<boolean> {
    const deadline = performance.now() + timeout;
    do {
      if ((await this.drawn()).includes(label)) {
        // By its label, not by its place: the list may be redrawn meanwhile.
        await this.row(label).click({ timeout: ONE_TRY });
        return true;
      }
      await this.page.waitForTimeout(50);
    } while (performance.now() < deadline);
    return false;
  }

  /** Takes the check from the entry with this label, in a list of several choices, and accepts the rest. */
  async uncheck(label: string): Promise<void> {
    const row = this.describedRow(label);
    await until(`the entry "${label}" to be unchecked`, async () => {
      if ((await row.getAttribute('aria-checked', { timeout: ONE_TRY })) === 'false') return true;
      await row.click({ timeout: ONE_TRY });
      return false;
    });
    await this.page.keyboard.press('Enter');
    await this.waitUntilClosed();
  }

  /** Presses a button of the entry with this label. */
  async pressButtonOf(label: string, button: string): Promise<void> {
    const row = this.describedRow(label);
    await until(`the button "${button}" beside "${label}" to be pressed`, async () => {
      await row.hover({ timeout: ONE_TRY });
      await row.getByRole('button', { name: button }).click({ timeout: ONE_TRY });
      return true;
    });
  }

  /** Closes it without a choice. */
  async cancel(): Promise<void> {
    await this.page.keyboard.press('Escape');
  }

  private async drawn(): Promise<string[]> {
    return (await this.rows().locator(LABEL).allInnerTexts()).map(withPlainSpaces);
  }

  private row(label: string): Locator {
    const words = label.split(' ').map((word) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
    const hasText = new RegExp(`^\\s*${words.join('\\s+')}\\s*$`);
    return this.rows()
      .filter({ has: this.page.locator(LABEL, { hasText }) })
      .first();
  }

  /** The row with this label, whatever its description. */
  private describedRow(label: string): Locator {
    return this.rows()
      .filter({ has: this.page.locator('.label-name').getByText(label, { exact: true }) })
      .first();
  }

  private widget(): Locator {
    return this.page.locator('.quick-input-widget');
  }

  private field(): Locator {
    return this.widget().locator('.quick-input-box input');
  }

  private rows(): Locator {
    return this.widget().locator('.quick-input-list .monaco-list-row');
  }
}

/** VS Code draws labels with spaces that do not break. */
function withPlainSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
