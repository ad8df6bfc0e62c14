/** What's needed once a person does something, with what only the extension has. */
export * from './interaction';
export { configureService } from './configuration/configureService';
export { createConfigurationTexts } from './texts/configurationTexts';
