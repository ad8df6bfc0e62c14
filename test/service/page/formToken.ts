import { createHmac } from 'node:crypto';
import type { Random } from '../options';
import { bareUserCode, sameSecret } from '../secrets';

/**
 * Proof that a decision comes from this page: another site can send a form to it, but cannot read the page and so
 * does not know the token. It is bound to the user code that the person was shown.
 */
export class FormTokens {
  private readonly key: Buffer;

  constructor(random: Random) {
    this.key = random(32);
  }

  /** The token for the form about this user code. */
  make(userCode: string): string {
    return createHmac('sha256', this.key).update(bareUserCode(userCode)).digest('base64url');
  }

  /** Whether the token was made for this user code. */
  isGood(token: string, userCode: string): boolean {
    return sameSecret(token, this.make(userCode));
  }
}
