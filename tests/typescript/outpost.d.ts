// The public options of the system whose source Loopwright writes, as far as what is written uses them.
declare module "outpost" {
  export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

  export interface Task<T> {
    readonly key: string;
    readonly after: readonly Task<unknown>[];
    readonly output?: T;
  }

  export interface Usage {
    readonly input: number;
    readonly cached: number;
    readonly output: number;
    readonly complete?: boolean;
  }

  export interface TaskContext {
    readonly signal: AbortSignal;
    readonly attempt: number;
    readonly executionId: string;
    readonly idempotencyKey: string;
    value<T>(dependency: Task<T>): T;
    reportUsage(usage: Usage): void;
  }

  export interface LoopTaskContext extends TaskContext {
    readonly round: number;
    readonly phase: "attempt" | "check";
  }

  export type LoopCheckResult = { readonly done: true } | { readonly done: false; readonly feedback: string };

  export interface TaskRetryOptions {
    readonly attempts: number;
    readonly delayMs?: number;
    readonly backoff?: "fixed" | "exponential";
    readonly maxDelayMs?: number;
    readonly jitter?: "none" | "full";
  }

  export interface TaskCacheStore {
    read(fingerprint: string): Promise<unknown>;
    write(fingerprint: string, entry: unknown): Promise<void>;
  }

  export interface TaskCacheOptions {
    readonly store: TaskCacheStore;
    readonly version: string;
    readonly key: (context: TaskContext) => JsonValue | Promise<JsonValue>;
    readonly maxAgeMs?: number;
    readonly mode?: "reuse" | "refresh";
  }

  export interface TaskOptions<T> {
    readonly key: string;
    readonly perform: (context: TaskContext) => T | Promise<T>;
    readonly after?: readonly Task<unknown>[];
    readonly condition?: (context: TaskContext) => boolean | Promise<boolean>;
    readonly retry?: TaskRetryOptions;
    readonly timeoutMs?: number;
    readonly cache?: TaskCacheOptions;
  }

  export interface LoopTaskOptions<T> extends Pick<TaskOptions<T>, "key" | "after" | "condition" | "timeoutMs" | "cache"> {
    readonly maxRounds: number;
    readonly attempt: (context: LoopTaskContext, feedback: string | undefined) => T | Promise<T>;
    readonly check: (context: LoopTaskContext, result: T) => LoopCheckResult | Promise<LoopCheckResult>;
  }

  export interface ApprovalTaskOptions {
    readonly key: string;
    readonly prompt: string;
    readonly actors: readonly string[];
    readonly after?: readonly Task<unknown>[];
  }

  export interface StartOptions {
    readonly concurrency?: number;
    readonly stopOnError?: boolean;
    readonly timeoutMs?: number;
    readonly budget?: { readonly attempts?: number; readonly usage?: Partial<Omit<Usage, "complete">> };
  }

  export interface Workflow {
    readonly name: string;
    start(options?: StartOptions): Promise<unknown>;
  }

  export function defineTask<T>(options: TaskOptions<T>): Task<T>;
  export function defineLoopTask<T>(options: LoopTaskOptions<T>): Task<T>;
  export function defineApprovalTask(options: ApprovalTaskOptions): Task<unknown>;
  export function defineWorkflow(name: string, tasks: readonly Task<unknown>[]): Workflow;
}
