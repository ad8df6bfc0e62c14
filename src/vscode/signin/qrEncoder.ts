// A module of its own, so that bundling leaves out what nobody asks of uqr.
export { encode } from 'uqr';
