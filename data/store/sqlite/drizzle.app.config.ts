import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './data/store/sqlite/app-schema.ts',
    './data/store/sqlite/session-schema.ts',
    './data/store/sqlite/card-schema.ts',
    './data/store/sqlite/application-schema.ts',
    './data/store/sqlite/delivery-schema.ts',
    './data/store/sqlite/contact-schema.ts',
    './data/store/sqlite/loan-schema.ts',
    './data/store/sqlite/admin-schema.ts',
    './data/store/sqlite/chat-schema.ts',
  ],
  out: './data/store/sqlite/migrations/app',
});
