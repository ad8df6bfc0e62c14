/** A sign-in ended without a session, and not because the person cancelled. The person has been told. */
export class SignInError extends Error {
  /** @param message what happened, in the person's language */
  constructor(message: string) {
    super(message);
    this.name = 'SignInError';
  }
}
