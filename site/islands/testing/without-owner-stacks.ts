import * as React from 'react';

/*
 * React's development build records where each element was created, which takes a fifth of the time of component tests.
 * React stops after this many elements in a second. This file keeps React's counter at that value, so React records nothing.
 */
const OWNER_STACK_LIMIT = 10_000;
const internals: unknown = Reflect.get(
  React,
  '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE',
);
if (typeof internals === 'object' && internals !== null)
  Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
    get: () => OWNER_STACK_LIMIT,
    set: () => {},
  });
