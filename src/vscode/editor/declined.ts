/**
 * Whether a request for a session failed because the person declined: they canceled the sign-in, or VS Code's question for consent.
 * VS Code has no type for that, and doesn't translate these messages.
 */
export function isDeclined(error: unknown): boolean {
  return error instanceof Error && (error.name === 'Canceled' || error.message.startsWith('User did not consent'));
}
