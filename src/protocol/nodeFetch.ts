// A module of its own, so that bundling loads node-fetch when it is needed, and leaves out what nobody asks of it.
export { default as fetch } from 'node-fetch';
