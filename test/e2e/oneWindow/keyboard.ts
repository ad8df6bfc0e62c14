import type { Page } from 'playwright-core';
import { until } from '../../../host/until';
import { type Heard, heardInFocus } from './accessibility';

/** Further than this nobody tabs. */
const FAR = 60;

/** What is asked of an element of the page. */
interface Labelled {
  readonly ariaLabel: string | null;
}

/** A person without a mouse, who finds things by what a screen reader says of them. */
export class Keyboard {
  private constructor(private readonly page: Page) {}

  /** Takes the mouse away from a window. */
  static async only(page: Page): Promise<Keyboard> {
    await page.evaluate(
      "window.mouseUsed = 0; addEventListener('mousedown', () => { window.mouseUsed += 1; }, { capture: true })",
    );
    return new Keyboard(page);
  }

  /** How often the mouse was used all the same. */
  mouseUsed(): Promise<number> {
    return this.page.evaluate('window.mouseUsed');
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Runs a command from the command palette by its title. */
  async run(title: string): Promise<void> {
    await until(`the command "${title}" to be found`, async () => {
      await this.press('Escape', 'F1');
      await this.page.keyboard.type(title);
      const pattern = new RegExp(`^${title}(,|$)`);
      await until('it to be the first', async () => pattern.test(await this.option()), 2_000);
      return true;
    });
    await this.press('Enter');
  }

  /** Waits until a box for text has the focus whose name matches, and resolves with what is heard of it. */
  box(name: RegExp): Promise<Heard> {
    return until(`a box named like ${name.source}`, async () => {
      const heard = await heardInFocus(this.page);
      return heard.role === 'textbox' && name.test(heard.name) ? heard : undefined;
    });
  }

  /** Replaces what is in the box that has the focus, and accepts it. */
  async enter(text: string): Promise<void> {
    await this.press('Control+A');
    await this.page.keyboard.type(text);
    await this.press('Enter');
  }

  /** Goes from thing to thing with one key until what is heard matches. */
  async go(key: string, name: RegExp): Promise<Heard> {
    for (let step = 0; step < FAR; step++) {
      await this.press(key);
      // For a moment, nothing has the focus while a list is redrawn.
      const heard = await until('something to have the focus', () => heardInFocus(this.page));
      if (name.test(heard.name)) return heard;
    }
    throw new Error(`Nothing named like ${name.source} is in reach of ${key}.`);
  }

  /** Opens the notification centre, and presses a button there. */
  async pressInNotifications(button: string): Promise<void> {
    await until('the notification centre to be open', async () => {
      await this.press('Control+K', 'Control+Shift+N');
      const isThere = async (): Promise<boolean> => (await heardInFocus(this.page)).name === 'Notifications Center';
      await until('it to have the focus', isThere, 5_000);
      return true;
    });
    await this.go('Tab', new RegExp(`^${button}$`));
    await this.press('Enter');
  }

  /** Takes the entry with this name from the list that is open. */
  async choose(name: RegExp): Promise<void> {
    await until(`an entry named like ${name.source}`, async () => {
      if (name.test(await this.option())) return true;
      await this.press('ArrowDown');
      return false;
    });
    await this.press('Enter');
  }

  /** What is heard of the entry of the list that is marked; empty if none is. */
  private async option(): Promise<string> {
    const marked = this.page.locator('.quick-input-list .monaco-list-row.focused:visible');
    // In one step: a list that's redrawn between two would let the second wait for a row that's gone.
    const [name] = await marked.evaluateAll((rows: readonly Labelled[]) => rows.map(({ ariaLabel }) => ariaLabel));
    return name ?? '';
  }
}
