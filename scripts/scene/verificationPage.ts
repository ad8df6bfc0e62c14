import type { Page } from 'playwright-core';

/** The service's page for the user code, in a tab of the person's browser. */
export class VerificationPage {
  constructor(readonly page: Page) {}

  /** Enters the code, and goes on. */
  async enter(userCode: string): Promise<void> {
    await this.page.getByLabel('Code').fill(userCode);
    await this.continue();
  }

  /** Goes on with the code that is filled in. */
  async continue(): Promise<void> {
    await this.page.getByRole('button', { name: 'Continue' }).click();
  }

  /** Allows the sign-in that the page asks about, as a user of another name if one is given. */
  async allow(account?: string): Promise<void> {
    if (account !== undefined) await this.page.getByLabel('Account').fill(account);
    await this.page.getByRole('button', { name: 'Allow' }).click();
    await this.page.getByRole('heading', { name: 'Allowed' }).waitFor();
  }
}
