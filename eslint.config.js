import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".venv*/", "fixtures/", "out/", "build/", "dist/"] },
  js.configs.recommended,
  {
    files: ["web/static/**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals.browser },
    rules: {
      "max-len": ["error", { code: 120 }],
      "no-unused-vars": "error",
      eqeqeq: "error",
      "prefer-const": "error",
    },
  },
];
