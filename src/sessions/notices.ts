import { serviceKey, type ServiceId } from '../oauth/client';
import type { StoreProblem } from '../storage/openStore';
import type { Account } from '../storage/record';

/** Something about the sessions that a person should know. */
export type Notice =
  /** The service ended the session; `responseLost` if that's because a response was lost. */
  | { readonly kind: 'ended'; readonly sessionId: string; readonly account: Account; readonly responseLost: boolean }
  /** The client ID or secret is wrong. The session is kept. */
  | { readonly kind: 'credentials refused'; readonly service: ServiceId; readonly account: Account }
  /** The service refused a refresh in a way that needs a person. The session is kept. */
  | { readonly kind: 'needs user'; readonly sessionId: string; readonly account: Account }
  /** The disk refuses; the new tokens are in this window's memory. */
  | { readonly kind: 'not stored'; readonly sessionId: string; readonly account: Account }
  /** Another service is configured now: the accounts of the previous one are kept, but hidden. */
  | { readonly kind: 'hidden'; readonly service: ServiceId; readonly accounts: readonly Account[] }
  /** The store can't be opened, or can't store anything. */
  | { readonly kind: StoreProblem };

/** Tells people what they should know: problems of the store once, and refused credentials once until they change. */
export class Notices {
  readonly #shown = new Set<string>();

  constructor(private readonly tell: (notice: Notice) => void) {}

  /** Shows the notice. */
  show(notice: Notice): void {
    if (notice.kind === 'credentials refused') {
      this.showOnce(notice, serviceKey(notice.service));
    } else {
      this.tell(notice);
    }
  }

  /** Shows the notice, unless one was shown under this key. */
  showOnce(notice: Notice, key: string): void {
    if (!this.#shown.has(key)) {
      this.#shown.add(key);
      this.tell(notice);
    }
  }

  /** The service accepted the credentials, or they changed: the next refusal is new. */
  credentialsChanged(service: ServiceId): void {
    this.#shown.delete(serviceKey(service));
  }
}
