// What is used of fflate, by name: a module that is loaded as a whole brings all that it has.

export { zipSync } from 'fflate';
