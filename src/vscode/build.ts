import type { Brand } from './brand';

/** What messages depend on: how commands and settings are called, and which of them this build has. */
export type Build = Pick<Brand, 'prefix' | 'commands' | 'configuredBy' | 'troubleshooting'>;
