/** A real editor with the packed extension: code-server, and a page of headless Chromium. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Plan } from "./plan";
import { CHROMIUM_FLAGS, SETTINGS } from "./quiet";

const WINDOW = { width: 820, height: 420 };

export interface Start {
  readonly plan: Plan;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
}

export class Box {
  private constructor(
    private readonly root: string,
    private readonly server: ChildProcess,
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open({ plan, settings, files }: Start): Promise<Box> {
    const root = mkdtempSync(path.join(tmpdir(), "retouch-box-"));
    const [user, extensions, work] = ["user", "extensions", "work"].map((name) =>
      path.join(root, name),
    );
    const machine = { "retouch.python": plan.python };
    for (const [name, table] of [
      ["User", { ...SETTINGS, ...settings }],
      ["Machine", machine],
    ] as const) {
      mkdirSync(path.join(user as string, name), { recursive: true });
      writeFileSync(path.join(user as string, name, "settings.json"), JSON.stringify(table));
    }
    mkdirSync(work as string);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(work as string, name), text);
    }
    const node = path.join(plan.codeServer, "node_modules", ".bin", "node");
    const entry = path.join(
      plan.codeServer,
      "node_modules",
      "code-server",
      "out",
      "node",
      "entry.js",
    );
    const common = ["--user-data-dir", user as string, "--extensions-dir", extensions as string];
    const installed = spawnSync(node, [entry, ...common, "--install-extension", plan.vsix], {
      encoding: "utf8",
    });
    if (installed.status !== 0) {
      throw new Error(`the extension was not installed: ${installed.stdout}${installed.stderr}`);
    }
    const port = await freePort();
    const flags = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, ...common];
    const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    const server = spawn(node, [entry, ...flags, ...quiet, work as string], { stdio: "ignore" });
    const browser = await chromium.launch({ executablePath: plan.chromium, args: CHROMIUM_FLAGS });
    const page = await browser.newPage({ viewport: WINDOW });
    await page.route("**/*", (route) =>
      new URL(route.request().url()).hostname === "127.0.0.1" ? route.continue() : route.abort(),
    );
    await reach(page, `http://127.0.0.1:${port}/?folder=${encodeURIComponent(work as string)}`);
    return new Box(root, server, browser, page);
  }

  async close(): Promise<void> {
    await this.browser.close();
    const gone = new Promise((resolve) => this.server.once("exit", resolve));
    this.server.kill();
    await gone;
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
  }

  /** The file as it is on the disk. */
  read(name: string): string {
    return readFileSync(path.join(this.root, "work", name), "utf8");
  }

  /** Sets settings of the machine, on top of none. */
  configure(settings: Readonly<Record<string, unknown>>): void {
    const file = path.join(this.root, "user", "Machine", "settings.json");
    writeFileSync(file, JSON.stringify(settings));
  }

  /** A picture of the window, from the top down to `height`. */
  async shot(file: string, height = WINDOW.height): Promise<void> {
    await this.page.screenshot({ path: file, clip: { x: 0, y: 0, width: WINDOW.width, height } });
  }

  /** A picture of a failure, in the folder for temporary files. */
  async failed(test: string): Promise<void> {
    await this.shot(path.join(tmpdir(), `retouch-${test.replaceAll(/\W+/g, "-")}.png`));
  }

  /** Opens a file and waits until it can be typed into. */
  async show(name: string): Promise<void> {
    await this.page.keyboard.press("Control+P");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.fill(name);
    await this.page
      .locator(`.quick-input-list .monaco-list-row[aria-label*="${name}"]`)
      .first()
      .waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page.locator(".editor-instance .view-lines .view-line").first().waitFor();
  }

  /** Runs a command by its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.fill(`>${title}`);
    const row = ".quick-input-list .monaco-list-row";
    await this.page
      .locator(`${row}[aria-label="${title}"], ${row}[aria-label^="${title},"]`)
      .first()
      .click();
    await input.waitFor({ state: "hidden" });
  }

  /** Puts the cursor at a line and column, counted from one. */
  async at(line: number, column: number): Promise<void> {
    await this.page.keyboard.press("Control+G");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.fill(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  /** Selects whole lines, from the start of `first` to the end of `last`. */
  async selectLines(first: number, last: number): Promise<void> {
    await this.at(first, 1);
    for (let line = first; line < last; line += 1) {
      await this.page.keyboard.press("Shift+ArrowDown");
    }
    await this.page.keyboard.press("Shift+End");
  }

  /** Types an answer into the box that is open. */
  async answer(text: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input.input");
    await input.waitFor();
    await input.fill(text);
    await this.page.keyboard.press("Enter");
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Saves the active file until what is on the disk is right, and tells it. */
  async saved(name: string, right: string | RegExp, patience = 10_000): Promise<string> {
    const fits = (text: string) => (typeof right === "string" ? text === right : right.test(text));
    const look = async () => {
      await this.page.keyboard.press("Control+S");
      return this.read(name);
    };
    return this.until(look, fits, `${name} to be ${right}`, patience);
  }

  isDirty(name: string): Promise<boolean> {
    return this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).isVisible();
  }

  /** How many lines the active file has, as far as the window shows them. */
  lines(): Promise<number> {
    return this.page.locator(".editor-instance .margin .line-numbers").count();
  }

  /** The live canvas as it is drawn now: the text of each row, from the top. */
  rows(): Promise<string[]> {
    return this.page.evaluate(() => {
      const rows: { top: number; text: string }[] = [];
      for (const span of document.querySelectorAll(".view-lines .view-line span[class*='ced-']")) {
        const content = getComputedStyle(span, "::after").content;
        if (content.startsWith('"')) {
          const text = content.slice(1, -1).replace(/\\(.)/g, "$1").replaceAll("\u00a0", " ");
          rows.push({ top: span.getBoundingClientRect().top, text });
        }
      }
      return rows.sort((a, b) => a.top - b.top).map(({ text }) => text);
    });
  }

  /** The ghost text that is shown, waited for. */
  async ghost(timeout = 20_000): Promise<string> {
    const ghost = this.page.locator(
      ".ghost-text-decoration, .ghost-text-decoration-preview, .ghost-text",
    );
    await ghost.first().waitFor({ timeout });
    return (await ghost.allTextContents()).join("").replaceAll("\u00a0", " ");
  }

  async noGhost(): Promise<void> {
    await this.page.locator(".ghost-text-decoration").first().waitFor({ state: "detached" });
  }

  /** Waits until the status bar's tooltip says `text`. */
  async status(text: string, timeout = 60_000): Promise<void> {
    const item = this.page.locator(`.statusbar-item[aria-label*="Retouch: ${text}"]`);
    await item.first().waitFor({ timeout });
  }

  /** Waits until `true` of what `look` returns. */
  async until<T>(
    look: () => Promise<T> | T,
    is: (value: T) => boolean,
    what: string,
    patience = 30_000,
  ): Promise<T> {
    const deadline = Date.now() + patience;
    for (;;) {
      const value = await look();
      if (is(value)) {
        return value;
      }
      if (Date.now() > deadline) {
        throw new Error(`waited in vain for ${what}; last: ${JSON.stringify(value)}`);
      }
      await this.page.waitForTimeout(50);
    }
  }

  /** The extension's own log, for a failure's report. */
  log(): string {
    const logs = path.join(this.root, "user", "logs");
    const files = readdirSync(logs, { recursive: true, encoding: "utf8" });
    return files
      .filter((file) => /Retouch\.log$/.test(file))
      .map((file) => readFileSync(path.join(logs, file), "utf8"))
      .join("\n");
  }
}

async function reach(page: Page, url: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await page.goto(url);
      break;
    } catch (error) {
      if (tries > 60) {
        throw error;
      }
      await page.waitForTimeout(500);
    }
  }
  await page.locator(".monaco-workbench").waitFor({ timeout: 90_000 });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
