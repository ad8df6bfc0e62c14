import type { ServiceId } from '../../oauth/service';
import type { Offer } from '../failures/failure';

/** What came of Configure Service or Set Client Secret. */
export interface Configured {
  /** What to tell the person. */
  readonly text: string;
  /** The service that they may want to sign in to now. */
  readonly service?: ServiceId;
  /** What the message offers. VS Code shows only one line of a message without a button. */
  readonly offers?: readonly Offer[];
}
