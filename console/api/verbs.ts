// Written by tools/console/write-verb-types.ts from openapi-admin.json. Do not change it: npm run openapi

export interface components {
    schemas: {
        AttentionShowInput: Record<string, unknown>;
        AttentionShowResult: {
            attention: {
                /** @enum {string} */
                what: "not_ready" | "unreadable" | "budget_rejects" | "keys_unreadable" | "journal_damaged" | "refused_runs" | "budget_nearly_used" | "budget_silent" | "source_failing" | "credential_refused" | "credential_missing" | "charges_unknown" | "breaker_open" | "source_slow" | "source_drift" | "ledger_lag" | "ledger_undrained" | "journal_fills_up" | "failed_logins";
                /** @enum {string} */
                severity: "critical" | "warning";
                /** @description A sentence for people, which may change */
                says: string;
                /**
                 * @description The page of the console that shows it
                 * @enum {string}
                 */
                page: "overview" | "runs" | "sources" | "credentials" | "money" | "audit";
                /** @description What selects it on that page */
                filter: {
                    [key: string]: string;
                };
                /** @description A command that shows it */
                command: string | null;
            }[];
        };
        AuditExportInput: {
            /**
             * @description csv by default
             * @enum {unknown}
             */
            format?: "csv" | "jsonl";
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Only acts of operators or users whose name begins with this */
            who?: string;
            /** @description Only acts with these words, such as "price" or "token revoke" */
            what?: string;
            /** @description Only acts on the object with this id */
            subject?: string;
            /** @description Only acts then or later; a day begins at midnight UTC */
            from?: string;
            /** @description Only acts before then */
            to?: string;
        };
        AuditListInput: {
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Only acts of operators or users whose name begins with this */
            who?: string;
            /** @description Only acts with these words, such as "price" or "token revoke" */
            what?: string;
            /** @description Only acts on the object with this id */
            subject?: string;
            /** @description Only acts then or later; a day begins at midnight UTC */
            from?: string;
            /** @description Only acts before then */
            to?: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        AuditListResult: {
            entries: {
                id: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                at: string;
                who: string;
                /** @enum {string} */
                via: "cli" | "api" | "service";
                what: string;
                organization_tuid: string | null;
                organization: string | null;
                subject: string;
                subject_name: string | null;
                detail: Record<string, unknown>;
            }[];
            /** @description Why nothing can match: no act has such words, or no name begins like that; `near` has suggestions */
            unknown?: {
                /** @enum {string} */
                of: "who" | "what";
                says: string;
                near: string[];
            };
            next?: string;
        };
        BudgetListInput: {
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        BudgetListResult: {
            budgets: {
                budget: string;
                organization_tuid: string;
                workflow: string | null;
                source: string | null;
                cred_id: string | null;
                /** @enum {string} */
                per: "day" | "month";
                /** @description Where its days and months begin */
                time_zone: string;
                limit: string;
                warn_percent: number;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                counts_from: string;
                used: string;
                leased: string;
                /** @description Leased by processes that have not reported for a minute: they are dead, or cannot reach the store */
                silent: string;
                left: string;
                nearly_used: boolean;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                period_from: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                period_to: string;
                /** @description How many calls it has rejected since `rejects_since`, counted up to 1,000; `null`: not known */
                rejected_calls: number | null;
                /** @description The first call that it rejected in this period, and since its limit was last set; `null`: none */
                rejects_since: string | null;
                organization: string | null;
                workflow_name: string | null;
                cred_name: string | null;
            }[];
            next?: string;
        };
        BudgetRecountInput: {
            /** @description Id of the budget (bud_…) */
            budget: string;
        };
        BudgetRecountResult: {
            budget: string;
            organization_tuid: string;
            workflow: string | null;
            source: string | null;
            cred_id: string | null;
            /** @enum {string} */
            per: "day" | "month";
            /** @description Where its days and months begin */
            time_zone: string;
            limit: string;
            warn_percent: number;
            /**
             * Format: date-time
             * @description UTC
             */
            counts_from: string;
            used: string;
            leased: string;
            /** @description Leased by processes that have not reported for a minute: they are dead, or cannot reach the store */
            silent: string;
            left: string;
            nearly_used: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            period_from: string;
            /**
             * Format: date-time
             * @description UTC
             */
            period_to: string;
            /** @description How many calls it has rejected since `rejects_since`, counted up to 1,000; `null`: not known */
            rejected_calls: number | null;
            /** @description The first call that it rejected in this period, and since its limit was last set; `null`: none */
            rejects_since: string | null;
            /** @description The use that was counted before */
            used_before: string;
        };
        BudgetRemoveInput: {
            /** @description Id of the budget (bud_…) */
            budget: string;
        };
        BudgetRemoveResult: {
            removed: boolean;
            budget: string;
            organization_tuid: string;
            workflow: string | null;
            source: string | null;
            cred_id: string | null;
            /** @enum {string} */
            per: "day" | "month";
            /** @description Where its days and months begin */
            time_zone: string;
            limit: string;
            warn_percent: number;
        };
        BudgetSetInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /** @description Only requests of this workflow */
            workflow?: string;
            /** @description Only requests of this source */
            source?: string;
            /** @description Only requests with this credential */
            credential?: string;
            /**
             * @description The period: the limit applies to each day or each month
             * @enum {unknown}
             */
            per: "day" | "month";
            /** @description Where the days and months begin, such as Europe/Berlin; by default that of the budget that is set again, or UTC */
            time_zone?: string;
            /** @description How much may be charged */
            amount?: string;
            /** @description A currency code of ISO 4217, such as EUR */
            currency?: string;
            /** @description In place of an amount: how many requests may be charged */
            calls?: number;
            /** @description From this percentage of the limit on, a warning is logged and a metric counts the budget; 80 by default */
            warn?: number;
            /** @description A new budget also counts what its current day or month has cost already, by the ledger */
            count_so_far?: boolean;
        };
        BudgetSetResult: {
            budget: string;
            organization_tuid: string;
            workflow: string | null;
            source: string | null;
            cred_id: string | null;
            /** @enum {string} */
            per: "day" | "month";
            /** @description Where its days and months begin */
            time_zone: string;
            limit: string;
            warn_percent: number;
            /**
             * Format: date-time
             * @description UTC
             */
            counts_from: string;
            /** @description The amount charged in its current period before the budget was set, which it does not count; `null`: it counts the whole period */
            spent_before: string | null;
        };
        BudgetShowInput: {
            /** @description Id of the budget (bud_…) */
            budget: string;
        };
        BudgetShowResult: {
            budget: string;
            organization_tuid: string;
            workflow: string | null;
            source: string | null;
            cred_id: string | null;
            /** @enum {string} */
            per: "day" | "month";
            /** @description Where its days and months begin */
            time_zone: string;
            limit: string;
            warn_percent: number;
            /**
             * Format: date-time
             * @description UTC
             */
            counts_from: string;
            used: string;
            leased: string;
            /** @description Leased by processes that have not reported for a minute: they are dead, or cannot reach the store */
            silent: string;
            left: string;
            nearly_used: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            period_from: string;
            /**
             * Format: date-time
             * @description UTC
             */
            period_to: string;
            /** @description How many calls it has rejected since `rejects_since`, counted up to 1,000; `null`: not known */
            rejected_calls: number | null;
            /** @description The first call that it rejected in this period, and since its limit was last set; `null`: none */
            rejects_since: string | null;
            /** @description The amount charged in its current period before the budget was set, which it does not count; `null`: it counts the whole period */
            spent_before?: string | null;
            requests?: number;
            unknown?: number;
            unpriced?: number;
            other_currencies?: string | null;
        };
        CredentialCreateInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
            /** @description The fields of the credential; --set-env and --stdin keep secrets off the command line */
            fields?: {
                [key: string]: unknown;
            };
            /** @description A field whose value is kept elsewhere, and where: file:/PATH[#MEMBER], vault://MOUNT/PATH#KEY, vault-kv1://MOUNT/PATH#KEY, aws-sm://REGION/SECRET[#MEMBER], gcp-sm://PROJECT/SECRET[/VERSION][#MEMBER], azure-kv://VAULT/SECRET[/VERSION][#MEMBER] */
            ref?: string[];
            /** @description Makes it the organization's default for this source in its contexts */
            default?: boolean;
            /** @description A context in which it may be used */
            context?: ("prod" | "test" | "dev")[];
            /** @description A region in which it may be used; a deployment in any other refuses it */
            region?: string[];
            /** @description What to call it; two may have the same name */
            name?: string;
            /** @description A remark for `credential list`; never a secret */
            note?: string;
        };
        CredentialCreateResult: {
            cred_id: string;
        };
        CredentialDeleteInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
        };
        CredentialDeleteResult: {
            cred_id: string;
            deleted: boolean;
        };
        CredentialDisableInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
        };
        CredentialDisableResult: {
            cred_id: string;
            name: string | null;
            source: string;
            contexts: string[];
            regions: string[];
            default: boolean;
            disabled: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
            note?: string | null;
            fields?: string[] | null;
            /** @description Where the values of fields are that are kept elsewhere */
            references?: {
                [key: string]: string;
            };
        };
        CredentialEnableInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
        };
        CredentialEnableResult: {
            cred_id: string;
            name: string | null;
            source: string;
            contexts: string[];
            regions: string[];
            default: boolean;
            disabled: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
            note?: string | null;
            fields?: string[] | null;
            /** @description Where the values of fields are that are kept elsewhere */
            references?: {
                [key: string]: string;
            };
        };
        CredentialExplainInput: {
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
            /** @description The cred_id that the request names */
            cred_id?: string;
            /**
             * @description The context of the run; dev by default
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
        };
        CredentialExplainResult: {
            source: string;
            /** @enum {string} */
            needs_credential: "none" | "optional" | "required";
            context: string;
            rule: string;
            cred_id: string | null;
            cred_name: string | null;
            usable: boolean;
            problem: string | null;
            references: {
                field: string;
                reference: string;
                /** @description Seconds since the value was read; null if it cannot be read */
                age_s: number | null;
                problem: string | null;
            }[];
            steps: {
                rule: string;
                verdict: string;
                cred_id: string | null;
                cred_name: string | null;
                reason: string;
            }[];
        };
        CredentialListInput: {
            /** @description Only those of this organization */
            org?: string;
            /** @description Only those for this source */
            source?: string;
            /** @description Only those with this in their name, in any case; the first 50 characters of names are searched */
            name?: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        CredentialListResult: {
            credentials: {
                cred_id: string;
                name: string | null;
                source: string;
                contexts: string[];
                regions: string[];
                default: boolean;
                disabled: boolean;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                created_at: string;
                note?: string | null;
                fields?: string[] | null;
                /** @description Where the values of fields are that are kept elsewhere */
                references?: {
                    [key: string]: string;
                };
                organization_tuid: string;
                /** @description The name of the organization */
                organization: string;
                last_used_at?: string | null;
            }[];
            next?: string;
        };
        CredentialMatrixInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /**
             * @description The context of the run; dev by default
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        CredentialMatrixResult: {
            context: string;
            /** @description With the first page: they are the same for every workflow */
            sources?: {
                source: string;
                title: string;
                /** @enum {string} */
                needs_credential: "optional" | "required";
                auto_credentials: {
                    rule: string;
                    cred_id: string | null;
                    cred_name: string | null;
                    usable: boolean;
                    problem: string | null;
                    reason: string;
                };
                no_auto_credentials: {
                    rule: string;
                    cred_id: string | null;
                    cred_name: string | null;
                    usable: boolean;
                    problem: string | null;
                    reason: string;
                };
            }[];
            workflows: {
                workflow: string;
                name: string;
                auto_credentials: boolean;
                simulated: boolean;
                disabled: boolean;
            }[];
            next?: string;
        };
        CredentialPriceCurrentInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        CredentialPriceCurrentResult: {
            credentials: {
                cred_id: string;
                name: string | null;
                source: string;
                disabled: boolean;
                /** @enum {string} */
                price: "own" | "list" | "none";
                amount: string | null;
                currency: string | null;
                /** @description What the vendor bills; null if the source no longer exists */
                per: string | null;
                from: string | null;
                steps: number;
            }[];
            next?: string;
        };
        CredentialPriceListInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        CredentialPriceListResult: {
            prices: {
                /**
                 * Format: date-time
                 * @description UTC
                 */
                from: string;
                above: number;
                amount: string;
                currency: string;
                per: string;
                time_zone: string;
                /** @enum {string} */
                state: "to come" | "holds" | "over";
            }[];
            next?: string;
        };
        CredentialPriceRemoveInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
            /** @description The day from which it holds, in the time zone of the contract */
            from: string;
            /** @description A step of a price: it holds beyond this number of billed calls in a calendar month */
            above?: number;
        };
        CredentialPriceRemoveResult: {
            cred_id: string;
            removed: number;
        };
        CredentialPriceSetInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
            /** @description The amount, such as 0.35, with at most six decimals, up to 1000000000 */
            amount: string;
            /** @description A currency code of ISO 4217, such as EUR */
            currency: string;
            /** @description The day from which it holds, in the time zone of the contract */
            from: string;
            /**
             * @description What the contract bills, if it differs from what the source declares
             * @enum {unknown}
             */
            per?: "call" | "match" | "success";
            /** @description A step of a price: it holds beyond this number of billed calls in a calendar month */
            above?: number;
            /** @description The time zone of the contract's days and months, such as Europe/Berlin; UTC by default, or that of its other prices */
            time_zone?: string;
        };
        CredentialPriceSetResult: {
            cred_id: string;
            /**
             * Format: date-time
             * @description UTC
             */
            from: string;
            above: number;
            amount: string;
            currency: string;
            per: string;
            time_zone: string;
        };
        CredentialRenameInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
            /** @description The new name of the credential */
            name?: string;
        };
        CredentialRenameResult: {
            cred_id: string;
            name: string | null;
            source: string;
            contexts: string[];
            regions: string[];
            default: boolean;
            disabled: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
            note?: string | null;
            fields?: string[] | null;
            /** @description Where the values of fields are that are kept elsewhere */
            references?: {
                [key: string]: string;
            };
        };
        CredentialVerifyInput: {
            /** @description Id of the credential (cred_…) */
            cred_id: string;
            /**
             * @description The context; by default the first in which the credential may be used
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
        };
        CredentialVerifyResult: {
            cred_id: string;
            source: string;
            /** @enum {string} */
            verdict: "good" | "rejected" | "could not tell";
            reason: string;
            references?: {
                field: string;
                reference: string;
                /** @description Seconds since the value was read; null if it cannot be read */
                age_s: number | null;
                problem: string | null;
            }[];
        };
        FunctionActivityInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function?: string;
            /**
             * @description What each line stands for; function by default
             * @enum {unknown}
             */
            by?: "function" | "version";
            /** @description Runs that started then or later; the last 24 hours by default */
            from?: string;
            /** @description Runs that started before then */
            to?: string;
        };
        FunctionActivityResult: {
            activity: {
                function: string;
                /** @description The digest */
                version?: string | null;
                version_number?: number | null;
                runs: number;
                answered: number;
                failed: number;
                /** @description By this service, before the function ran */
                rejected: number;
                unknown: number;
                p50_ms: number | null;
                p99_ms: number | null;
                /** @description Of all its runs, one text for each currency */
                cost?: string[];
                /** @description Of runs that were not rejected; an unknown charge counts as charged */
                cost_per_run?: {
                    currency: string;
                    /** @description Half of the runs cost at most this much */
                    median: string;
                    /** @description The most expensive run */
                    most: string;
                }[];
                /** @description The number of runs in `cost_per_run` */
                cost_runs?: number;
                /** @description Requests that were or may have been charged, without a price */
                unpriced?: number;
                /**
                 * Format: date-time
                 * @description When the newest run started; UTC
                 */
                last_at: string;
                /** @description How it ended: answered, unknown, or a fault */
                last: string;
                /** @description How many runs failed with each fault */
                failures: {
                    [key: string]: number;
                };
                /**
                 * Format: date-time
                 * @description UTC
                 */
                counted_from: string;
                /** @description Whether every run of the time is counted; otherwise the newest are */
                complete: boolean;
            }[];
        };
        FunctionDiffInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function: string;
            /** @description The earlier version: its number, its digest or the beginning of it, or latest */
            before: string;
            /** @description The later version: its number, its digest or the beginning of it, or latest */
            after: string;
        };
        FunctionDiffResult: {
            function: string;
            before: {
                /** @description null: it was never registered */
                number: number | null;
                digest: string;
            };
            after: {
                /** @description null: it was never registered */
                number: number | null;
                digest: string;
            };
            files: {
                file: string;
                /** @enum {string} */
                change: "added" | "removed" | "changed";
                /** @description In the unified format; null if very many lines differ */
                diff: string | null;
            }[];
            /** @description The imported packages of a TypeScript source whose versions differ */
            packages: {
                package: string;
                before: string | null;
                after: string | null;
            }[];
        };
        FunctionListInput: Record<string, unknown>;
        FunctionListResult: {
            functions: {
                function: string;
                title: string;
                /** @enum {string} */
                from: "catalog" | "project";
                timeout_ms: number;
                memory_mb: number;
            }[];
        };
        FunctionResetShadowInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
        };
        FunctionResetShadowResult: {
            /** @description How many candidates had results */
            removed: number;
        };
        FunctionRollbackInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
        };
        FunctionRollbackResult: {
            function: string;
            workflows: {
                workflow: string;
                name: string;
                organization_tuid: string;
                /** @enum {string} */
                did: "pinned" | "ended_canary" | "nothing";
                /** @description The number of the version before; of a canary, the later one */
                from: number;
                /** @description The number of the version that its runs get now */
                to: number | null;
                to_digest: string | null;
                percent_before: number | null;
            }[];
        };
        FunctionRunInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function: string;
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
            /**
             * @description The context of the run; by default the request's own, or dev
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
            /** @description The inputs, or with --request the whole request */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description A whole request is given, not only its inputs */
            request?: boolean;
        };
        FunctionRunResult: Record<string, unknown>;
        FunctionShadowInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
        };
        FunctionShadowResult: {
            candidates: {
                workflow: string;
                version: number | null;
                digest: string;
                compared: number;
                same: number;
                different: number;
                /** @description Only the answer has the field */
                missing: number;
                /** @description Only the candidate's output has the field */
                added: number;
                /** @description The candidate failed, and the function of the run did not, or in another way */
                failed: number;
                /** @description The candidate made a call that the run did not make */
                unrecorded: number;
            }[];
            fields: {
                workflow: string;
                version: number | null;
                digest: string;
                field: string;
                same: number;
                different: number;
                /** @description Only the answer has the field */
                missing: number;
                /** @description Only the candidate's output has the field */
                added: number;
                /** @description The candidate failed, and the function of the run did not, or in another way */
                failed: number;
                /** @description The candidate made a call that the run did not make */
                unrecorded: number;
            }[];
            /** @description The newest runs that are not the same; without fields if only the result as a whole differs */
            differing: {
                transaction_id: string;
                workflow: string;
                version: number | null;
                digest: string;
                fields: string[];
            }[];
        };
        FunctionShowInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function: string;
        };
        FunctionShowResult: {
            function: string;
            title: string;
            /** @description Markdown */
            description: string | null;
            /** @description JSON Schema */
            inputs: Record<string, unknown> | null;
            /** @description JSON Schema */
            output: Record<string, unknown> | null;
            /** @description What the schemas describe, one row a field */
            fields: {
                inputs: {
                    /** @description Nested fields with a dot, items of a list with [] */
                    name: string;
                    type: string;
                    /** @enum {string} */
                    required: "yes" | "depends" | "no";
                    title: string | null;
                    description: string | null;
                    examples: unknown[];
                }[];
                output: {
                    /** @description Nested fields with a dot, items of a list with [] */
                    name: string;
                    type: string;
                    /** @enum {string} */
                    required: "yes" | "depends" | "no";
                    title: string | null;
                    description: string | null;
                    examples: unknown[];
                }[];
            };
            timeout_ms: number;
            memory_mb: number;
            file: string;
            /** @enum {string} */
            from: "catalog" | "project";
            cases: {
                name: string;
                inputs: Record<string, unknown>;
                /** @enum {string} */
                expects: "success" | "failure";
                /** @description The sources that it scripts or expects to be called */
                asks: string[];
            }[];
            /** @description Its file as it is now; null if it is very large, or is not a file of the project any more */
            code: string | null;
        };
        FunctionTestInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function?: string;
        };
        FunctionTestResult: {
            passed: boolean;
            report: string;
            functions: {
                function: string;
                passed: boolean;
                cases: {
                    name: string;
                    passed: boolean;
                    differences: string[];
                    /** @description What the function logged */
                    log: string[];
                    took_ms: number;
                }[];
            }[];
        };
        FunctionVersionsInput: {
            /** @description Id of the function, as `datarun function list` shows it */
            function: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        FunctionVersionsResult: {
            versions: {
                /** @description Its number and the beginning of its digest */
                version: string;
                number: number;
                digest: string;
                /**
                 * Format: date-time
                 * @description When a service first loaded it; UTC
                 */
                first_used: string;
                /** @description The version of the deployment that first loaded it */
                build: string | null;
                /** @description The deployer, as `--deployed-by` named it */
                deployed_by: string | null;
                /** @enum {string} */
                from: "catalog" | "package" | "project";
                /** @description Whether this deployment runs it now, where no workflow names another */
                now: boolean;
            }[];
            workflows: {
                workflow: string;
                name: string;
                organization_tuid: string;
                /** @description Its number and the beginning of its digest */
                version: string;
                number: number | null;
                digest: string;
                /** @description The percentage of its runs; 100 pins the version */
                percent: number;
                /**
                 * @description shadow: the version also runs after the answer
                 * @enum {string}
                 */
                use: "run" | "shadow";
            }[];
            next?: string;
        };
        KeysDiscardInput: {
            /** @description Id of the data key (key_…) */
            key: string;
            /** @description Also delete the credentials that are sealed with it */
            with_credentials?: boolean;
        };
        KeysDiscardResult: {
            key: string;
            organization: string;
            credentials_deleted: string[];
        };
        KeysRemoveOldInput: Record<string, unknown>;
        KeysRemoveOldResult: {
            removed: string[];
        };
        KeysRotateInput: {
            /** @description Also give every organization a new data key and seal its credentials again */
            new_data_keys?: boolean;
        };
        KeysRotateResult: {
            root_key: string;
            made_root_key: boolean;
            data_keys_rewrapped: number;
            data_keys_made: number;
            credentials_resealed: number;
            unreadable: {
                id: string;
                organization: string;
                reason: string;
            }[];
        };
        KeysVerifyInput: Record<string, unknown>;
        KeysVerifyResult: {
            data_keys: number;
            credentials: number;
            unreadable: {
                id: string;
                organization: string;
                reason: string;
            }[];
            root_keys_in_use: {
                id: string;
                data_keys: number;
            }[];
            removable: string[];
        };
        LedgerActivityInput: {
            /**
             * @description What each line stands for; source by default
             * @enum {unknown}
             */
            by?: "source" | "credential";
            /** @description Runs that started then or later; the last 24 hours by default */
            from?: string;
            /** @description Runs that started before then */
            to?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
        };
        LedgerActivityResult: {
            activity: {
                source: string;
                cred_id?: string | null;
                calls: number;
                match: number;
                no_match: number;
                /** @description At the vendor, or in the source's own code */
                failed: number;
                /** @description By this service, for instance by a limit, a budget or an invalid input */
                rejected: number;
                /** @description Rejected because no credential fits */
                no_credential: number;
                unknown: number;
                p50_ms: number | null;
                p99_ms: number | null;
                /**
                 * Format: date-time
                 * @description When the newest run with such a call started; UTC
                 */
                last_at: string;
                /** @description How that call ended: match, no_match, unknown, or a fault */
                last: string;
                /** @description How many calls failed with each fault */
                failures: {
                    [key: string]: number;
                };
                /**
                 * Format: date-time
                 * @description UTC
                 */
                counted_from: string;
                /** @description Whether every call of the time is counted; otherwise the newest are */
                complete: boolean;
            }[];
        };
        LedgerCompareInput: {
            /** @description The invoice, as the text of a CSV file */
            invoice: string;
            /** @description What a column means: order, transaction, day, amount, currency, quantity; exactly one of order, transaction, day is needed */
            map: string[];
            /** @description Requests that were sent then or later; a day begins at midnight of --time-zone */
            from: string;
            /** @description Requests that were sent before then */
            to: string;
            /** @description The time zone of the days of the invoice, such as Europe/Berlin; UTC by default */
            time_zone?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /** @description The currency of an invoice that has no column for it */
            currency?: string;
            /** @description Amounts are written 1.234,56 */
            decimal_comma?: boolean;
        };
        LedgerCompareResult: {
            differences: {
                /** @enum {string} */
                difference: "ours only" | "theirs only" | "differs" | "billed twice" | "unknown charge" | "unknown, not billed" | "no order" | "no price";
                order?: string | null;
                transaction?: string | null;
                day?: string | null;
                lines: string;
                /** @description Of an order that the ledger has: the runs that sent its first and its last request */
                runs?: string[];
                currency?: string | null;
                ours: (string | number) | null;
                ours_at_most: (string | number) | null;
                theirs: (string | number) | null;
                /** @description If both amounts and quantities are compared */
                our_requests?: number;
                /** @description If both amounts and quantities are compared */
                our_requests_at_most?: number;
                /** @description If both amounts and quantities are compared */
                their_requests?: number;
            }[];
            bad_rows: {
                line: number;
                problem: string;
            }[];
            totals: {
                currency: string;
                ours: string;
                ours_at_most: string;
                theirs: string;
                /** @description The amount that the invoice bills beyond what was charged at most, of keys whose price is known */
                disputed: string;
                /** @description The amount that was charged for certain and is not on the invoice */
                not_billed: string;
            }[];
            /** @description The differences by kind and currency; without amounts for an invoice that has none */
            kinds: {
                /** @enum {string} */
                difference: "ours only" | "theirs only" | "differs" | "billed twice" | "unknown charge" | "unknown, not billed" | "no order" | "no price";
                count: number;
                currency: string | null;
                ours: string | null;
                ours_at_most: string | null;
                theirs: string | null;
            }[];
            equal: number;
            lines: number;
        };
        LedgerCountInput: {
            /** @description Id of the run (trx_…), its transaction_id */
            transaction?: string;
            /** @description Runs that started then or later; the last 24 hours by default. A day begins at midnight of --time-zone */
            from?: string;
            /** @description Runs that started before then */
            to?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
            /** @description Id of the function, as `datarun function list` shows it */
            function?: string;
            /** @description Runs of this version of the function: its digest or, with --function, its number or the first 6 or more characters of its digest */
            function_version?: string;
            /** @description Runs of this version of the deployment */
            build?: string;
            /** @description Runs of requests that had this X-Request-Id of the caller */
            client_request_id?: string;
            /** @description Runs of requests whose traceparent had this trace id */
            trace_id?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Runs with a call of this version of the source: its digest or, with --source, its number or the first 6 or more characters of its digest */
            source_version?: string;
            /**
             * @description Runs with a call that had this outcome; with --source, a call of that source
             * @enum {unknown}
             */
            outcome?: "match" | "no_match" | "failed" | "unknown";
            /**
             * @description Runs with a request that has this charge; with --source or --outcome, in a call that they select
             * @enum {unknown}
             */
            charged?: "yes" | "no" | "unknown";
            /**
             * @description Runs with a call that failed in this way; with --source, a call of that source
             * @enum {unknown}
             */
            failure?: "shed" | "internal" | "region" | "input" | "credential" | "budget" | "unreachable" | "timeout" | "connection_lost" | "vendor_5xx" | "rate_limited" | "vendor_4xx" | "pending" | "contract" | "no_room" | "abandoned" | "adapter";
            /** @description Runs that took at least this many milliseconds; with --source, runs with such a call of that source */
            min_duration_ms?: number;
            /**
             * @description The length of a step; hour by default
             * @enum {unknown}
             */
            step?: "minute" | "hour" | "day";
            /** @description The time zone of days, such as Europe/Berlin; UTC by default */
            time_zone?: string;
        };
        LedgerCountResult: {
            /**
             * Format: date-time
             * @description UTC
             */
            from: string;
            /**
             * Format: date-time
             * @description UTC
             */
            to: string;
            step: string;
            /**
             * Format: date-time
             * @description Earlier runs were not counted, because there are very many; UTC
             */
            counted_from: string;
            /** @description The time from which the ledger has all runs: before it, counts are unknown, not zero; UTC */
            complete_from: string | null;
            total: {
                runs: number;
                /** @description A call failed, also by a rejection of this service */
                failed: number;
                /** @description None failed, and the outcome of a call is unknown */
                unknown: number;
                /** @description Neither, and a call had a record */
                match: number;
                /** @description Every call had no record */
                no_match: number;
                /** @description No call was recorded */
                no_calls: number;
            };
            /** @description One for each step with runs, by the step's start */
            points: {
                /**
                 * Format: date-time
                 * @description UTC
                 */
                at: string;
                runs: number;
                /** @description A call failed, also by a rejection of this service */
                failed: number;
                /** @description None failed, and the outcome of a call is unknown */
                unknown: number;
                /** @description Neither, and a call had a record */
                match: number;
                /** @description Every call had no record */
                no_match: number;
                /** @description No call was recorded */
                no_calls: number;
            }[];
        };
        LedgerExportInput: {
            /**
             * @description csv by default
             * @enum {unknown}
             */
            format?: "csv" | "jsonl" | "parquet";
            /** @description Id of the run (trx_…), its transaction_id */
            transaction?: string;
            /** @description Runs that started then or later; a day begins at midnight UTC */
            from?: string;
            /** @description Runs that started before then */
            to?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
            /** @description Id of the function, as `datarun function list` shows it */
            function?: string;
            /** @description Runs of this version of the function: its digest or, with --function, its number or the first 6 or more characters of its digest */
            function_version?: string;
            /** @description Runs of this version of the deployment */
            build?: string;
            /** @description Runs of requests that had this X-Request-Id of the caller */
            client_request_id?: string;
            /** @description Runs of requests whose traceparent had this trace id */
            trace_id?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Runs with a call of this version of the source: its digest or, with --source, its number or the first 6 or more characters of its digest */
            source_version?: string;
            /**
             * @description Runs with a call that had this outcome; with --source, a call of that source
             * @enum {unknown}
             */
            outcome?: "match" | "no_match" | "failed" | "unknown";
            /**
             * @description Runs with a request that has this charge; with --source or --outcome, in a call that they select
             * @enum {unknown}
             */
            charged?: "yes" | "no" | "unknown";
            /**
             * @description Runs with a call that failed in this way; with --source, a call of that source
             * @enum {unknown}
             */
            failure?: "shed" | "internal" | "region" | "input" | "credential" | "budget" | "unreachable" | "timeout" | "connection_lost" | "vendor_5xx" | "rate_limited" | "vendor_4xx" | "pending" | "contract" | "no_room" | "abandoned" | "adapter";
            /** @description Runs that took at least this many milliseconds; with --source, runs with such a call of that source */
            min_duration_ms?: number;
        };
        LedgerHistoryInput: {
            /**
             * @description What each group stands for; source by default. A version is one of --source or, without it, of --function
             * @enum {unknown}
             */
            by?: "all" | "source" | "vendor" | "org" | "workflow" | "credential" | "token" | "function" | "version";
            /**
             * @description The length of a step; hour by default
             * @enum {unknown}
             */
            step?: "minute" | "hour" | "day";
            /** @description Runs that started then or later; the last 24 hours by default. A day begins at midnight of --time-zone */
            from?: string;
            /** @description Runs that started before then */
            to?: string;
            /** @description The time zone of days, such as Europe/Berlin; UTC by default */
            time_zone?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Sources of this vendor, which is the part of the id before the two underscores */
            vendor?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /** @description Id of the token (tok_…) */
            token?: string;
            /** @description Id of the function, as `datarun function list` shows it */
            function?: string;
            /** @description Runs with a call of this version of the source: its digest or, with --source, its number or the first 6 or more characters of its digest */
            source_version?: string;
            /** @description Runs of this version of the function: its digest or, with --function, its number or the first 6 or more characters of its digest */
            function_version?: string;
            /** @description How many groups, those with the most calls; 100 by default */
            limit?: number;
        };
        LedgerHistoryResult: {
            /**
             * Format: date-time
             * @description UTC
             */
            from: string;
            /**
             * Format: date-time
             * @description UTC
             */
            to: string;
            step: string;
            /** @description The time from which the ledger has all runs: before it, figures are unknown, not zero; UTC */
            complete_from: string | null;
            /** @description Upper bounds of the buckets of durations, included; one bucket more has the longer ones */
            histogram_bounds_ms: number[];
            /** @description Those with the most calls first */
            groups: {
                /** @description An id, a vendor, or the digest of a version; empty for none */
                key: string;
                /** @description The current name of the organization or the workflow */
                name?: string | null;
                /** @description The number of the version */
                number?: number | null;
                /** @description One for each step with calls, by the step's start */
                points: {
                    /**
                     * Format: date-time
                     * @description UTC
                     */
                    at: string;
                    /** @description Calls; runs, for functions, their versions, and tokens */
                    calls: number;
                    /** @description Calls with a record; runs that were answered */
                    match: number;
                    no_match: number;
                    /** @description By fault: at the vendor, or in the source's or function's code */
                    failed: {
                        [key: string]: number;
                    };
                    /** @description By fault: by this service, for instance by a limit, a budget or an invalid input */
                    rejected: {
                        [key: string]: number;
                    };
                    /** @description Rejected because no credential fits */
                    no_credential: number;
                    /** @description The outcome was lost, because the service died */
                    unknown: number;
                    /** @description Number of calls per bucket of `histogram_bounds_ms`, without calls that failed before anything was sent. Zeros at the end are left out. Histograms can be added */
                    durations: number[];
                    /** @description Number of calls in the histogram */
                    timed: number;
                    /** @description Sum of their durations */
                    sum_ms: number;
                    /** @description Empty for runs */
                    costs: {
                        currency: string;
                        amount: string;
                        amount_at_most: string;
                    }[];
                    unpriced: number;
                }[];
                total: {
                    /** @description Calls; runs, for functions, their versions, and tokens */
                    calls: number;
                    /** @description Calls with a record; runs that were answered */
                    match: number;
                    no_match: number;
                    /** @description By fault: at the vendor, or in the source's or function's code */
                    failed: {
                        [key: string]: number;
                    };
                    /** @description By fault: by this service, for instance by a limit, a budget or an invalid input */
                    rejected: {
                        [key: string]: number;
                    };
                    /** @description Rejected because no credential fits */
                    no_credential: number;
                    /** @description The outcome was lost, because the service died */
                    unknown: number;
                    /** @description Number of calls per bucket of `histogram_bounds_ms`, without calls that failed before anything was sent. Zeros at the end are left out. Histograms can be added */
                    durations: number[];
                    /** @description Number of calls in the histogram */
                    timed: number;
                    /** @description Sum of their durations */
                    sum_ms: number;
                    /** @description Empty for runs */
                    costs: {
                        currency: string;
                        amount: string;
                        amount_at_most: string;
                    }[];
                    unpriced: number;
                    p50_ms: number | null;
                    p95_ms: number | null;
                    p99_ms: number | null;
                };
            }[];
            /** @description Number of groups that are left out */
            more_groups: number;
        };
        LedgerListInput: {
            /** @description Id of the run (trx_…), its transaction_id */
            transaction?: string;
            /** @description Runs that started then or later; a day begins at midnight UTC */
            from?: string;
            /** @description Runs that started before then */
            to?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
            /** @description Id of the function, as `datarun function list` shows it */
            function?: string;
            /** @description Runs of this version of the function: its digest or, with --function, its number or the first 6 or more characters of its digest */
            function_version?: string;
            /** @description Runs of this version of the deployment */
            build?: string;
            /** @description Runs of requests that had this X-Request-Id of the caller */
            client_request_id?: string;
            /** @description Runs of requests whose traceparent had this trace id */
            trace_id?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Runs with a call of this version of the source: its digest or, with --source, its number or the first 6 or more characters of its digest */
            source_version?: string;
            /**
             * @description Runs with a call that had this outcome; with --source, a call of that source
             * @enum {unknown}
             */
            outcome?: "match" | "no_match" | "failed" | "unknown";
            /**
             * @description Runs with a request that has this charge; with --source or --outcome, in a call that they select
             * @enum {unknown}
             */
            charged?: "yes" | "no" | "unknown";
            /**
             * @description Runs with a call that failed in this way; with --source, a call of that source
             * @enum {unknown}
             */
            failure?: "shed" | "internal" | "region" | "input" | "credential" | "budget" | "unreachable" | "timeout" | "connection_lost" | "vendor_5xx" | "rate_limited" | "vendor_4xx" | "pending" | "contract" | "no_room" | "abandoned" | "adapter";
            /** @description Runs that took at least this many milliseconds; with --source, runs with such a call of that source */
            min_duration_ms?: number;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        LedgerListResult: {
            runs: {
                transaction_id: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                started_at: string;
                state: string;
                kind: string;
                function_version: string | null;
                function_version_number: number | null;
                build: string | null;
                organization_tuid: string;
                workflow: string;
                context: string;
                simulated: boolean;
                took_ms: number | null;
                calls: number;
                failed: number;
                /** @description The outcomes of its first 100 calls */
                outcomes: {
                    source: string;
                    /** @enum {string} */
                    outcome: "match" | "no_match" | "failed" | "unknown";
                    failure: string | null;
                    /** @description Whether a request was or may have been sent to the vendor */
                    sent: boolean;
                    took_ms: number | null;
                }[];
                function_failure: string | null;
                /** @description Requested ids that belong to no source */
                unknown_sources: number;
                requests: number;
                charged: number;
                charge_unknown: number;
                cost: string[];
            }[];
            /** @description The number of these runs that have an unknown charge, if there are any. Only on the first page */
            to_settle?: number;
            /** @description There are more than `to_settle` */
            more_to_settle?: boolean;
            damaged?: string[];
            /**
             * Format: date-time
             * @description The page is not full because many runs were read, back to this time; UTC
             */
            looked_back_to?: string;
            next?: string;
        };
        LedgerPruneInput: {
            /** @description Deletes runs that started before then; a day begins at midnight UTC */
            before: string;
            /** @description Also deletes runs with unsettled charges */
            unknown_too?: boolean;
        };
        LedgerPruneResult: {
            deleted: number;
            kept_unknown: number;
            kept_undrained: number;
        };
        LedgerReconcileInput: {
            /** @description Id of the run (trx_…), its transaction_id */
            transaction: string;
            /** @description Number of the call in its run, from 0 */
            call: number;
            /** @description Which request of the call; by default those that are unknown, or else the only one */
            attempt?: number;
            /**
             * @description Whether the vendor charged for it; unknown reopens it
             * @enum {unknown}
             */
            charged: "yes" | "no" | "unknown";
            /** @description What the vendor billed for each of these requests, if it differs from the recorded price */
            amount?: string;
            /** @description The currency of that amount; the recorded one by default */
            currency?: string;
            /** @description The reason, such as the invoice */
            note: string;
        };
        LedgerReconcileResult: {
            transaction_id: string;
            call: number;
            requests: number;
            call_charged: string;
            changed_budgets?: string;
        };
        LedgerSettleInput: {
            /** @description The invoice, as the text of a CSV file */
            invoice: string;
            /** @description What a column means: order, transaction, day, amount, currency, quantity; exactly one of order, transaction, day is needed */
            map: string[];
            /** @description Requests that were sent then or later; a day begins at midnight of --time-zone */
            from: string;
            /** @description Requests that were sent before then */
            to: string;
            /** @description The time zone of the days of the invoice, such as Europe/Berlin; UTC by default */
            time_zone?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /** @description The currency of an invoice that has no column for it */
            currency?: string;
            /** @description Amounts are written 1.234,56 */
            decimal_comma?: boolean;
            /** @description The reason, such as the number of the invoice */
            note: string;
            /** @description How many charges to settle at most; 1000 by default */
            limit?: number;
            /** @description Lines that cannot be read are about none of the charges, such as a total */
            accept_bad_rows?: boolean;
            /** @description Settles them; without it nothing is changed */
            apply?: boolean;
        };
        LedgerSettleResult: {
            applied: boolean;
            settled: number;
            /** @description How many more the invoice answers */
            to_settle: number;
            /** @description Unknown charges in the same time that the invoice does not answer */
            open: number;
            charges: {
                transaction_id: string;
                call: number;
                attempt: number;
                /** @enum {string} */
                charged: "yes" | "no";
                order?: string;
                day?: string;
                lines: string;
                source: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                sent_at: string;
                price: string | null;
                currency: string | null;
            }[];
            totals: {
                currency: string;
                charged: string;
                not_charged: string;
            }[];
            changed_budgets?: string;
        };
        LedgerSettleUnknownInput: {
            /** @description A charge, as `ledger unknown` names it: the run, the number of the call, and of the request */
            charge?: string[];
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Requests that were sent then or later; a day begins at midnight of --time-zone */
            from?: string;
            /** @description Requests that were sent before then */
            to?: string;
            /** @description The time zone of days, such as Europe/Berlin; UTC by default */
            time_zone?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /**
             * @description Whether the vendor charged for them
             * @enum {unknown}
             */
            charged: "yes" | "no";
            /** @description The reason, such as what the vendor said */
            note: string;
            /** @description How many charges to settle at most; 1000 by default */
            limit?: number;
            /** @description Settles them; without it nothing is changed */
            apply?: boolean;
        };
        LedgerSettleUnknownResult: {
            applied: boolean;
            settled: number;
            /** @description How many more are selected, counted up to 10,000 */
            to_settle: number;
            charges: {
                charge: string;
                source: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                sent_at: string;
                /** @enum {string} */
                charged: "yes" | "no";
                price: string | null;
                currency: string | null;
            }[];
            totals: {
                currency: string;
                charged: string;
                not_charged: string;
            }[];
            changed_budgets?: string;
        };
        LedgerShowInput: {
            /** @description Id of the run (trx_…), its transaction_id */
            transaction: string;
        };
        LedgerShowResult: {
            damaged: boolean;
            run: {
                transaction_id: string;
                state: string;
                kind: string;
                organization_id: string;
                workflow_id: string;
                token_id: string;
                context: string;
                region: string;
                simulated: number;
                function_id: string | null;
                client_request_id: string | null;
                trace_id: string | null;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                started_at: string;
                start_id: string | null;
                function_version: string | null;
                build: string | null;
                took_ms: number | null;
                client_gone: number;
                function_fault: string | null;
                has_unknown: number;
                verdicts: number;
                unknown_sources: number;
                unknown_source_names: string | null;
                checksum: number | null;
                function_version_number: number | null;
            } | null;
            costs: {
                currency: string;
                amount: string;
                amount_at_most: string;
            }[];
            unpriced: number;
            calls: {
                transaction_id: string;
                ordinal: number;
                source: string;
                success: number | null;
                match: number | null;
                fault_code: string | null;
                fault_kind: string | null;
                charged: string;
                charges: number;
                credential_id: string | null;
                credential_rule: string;
                started_after_ms: number | null;
                took_ms: number | null;
                output_bytes: number | null;
                order_id: string | null;
                budget_id: string | null;
                source_version: string | null;
                credential_name: string | null;
                source_version_number: number | null;
                waited_for: number | null;
            }[];
            attempts: {
                transaction_id: string;
                ordinal: number;
                number: number;
                origin: string;
                method: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                sent_at: string;
                status: number | null;
                took_ms: number | null;
                charged: string;
                price: string | null;
                currency: string | null;
            }[];
            reconciliations: {
                transaction_id: string;
                ordinal: number;
                revision: number;
                charged: string;
                decided_by: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                decided_at: string;
                note: string;
                attempt: number;
                price: string | null;
                currency: string | null;
            }[];
            timeline: string;
        };
        LedgerSpendInput: {
            /**
             * @description What each line stands for
             * @enum {unknown}
             */
            by: "org" | "workflow" | "vendor" | "source" | "credential" | "day";
            /** @description Requests that were sent then or later; a day begins at midnight of --time-zone */
            from: string;
            /** @description Requests that were sent before then */
            to: string;
            /** @description The time zone of days, such as Europe/Berlin; UTC by default */
            time_zone?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the workflow (wfl_…) */
            workflow?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        LedgerSpendResult: {
            spend: {
                org?: string | null;
                workflow?: string | null;
                vendor?: string | null;
                source?: string | null;
                credential?: string | null;
                day?: string | null;
                /** @description The current name of the organization, workflow or credential; of an unnamed credential, its source */
                name?: string | null;
                /** @description The organization of the workflow or credential */
                organization_tuid?: string | null;
                requests: number;
                charged: number;
                not_charged: number;
                unknown: number;
                unpriced: number;
                currency: string | null;
                amount: string | null;
                amount_at_most: string | null;
            }[];
            totals: {
                currency: string | null;
                requests: number;
                unknown: number;
                unpriced: number;
                amount: string | null;
                amount_at_most: string | null;
                /** @description The sum of the unknown charges in full */
                amount_unknown: string | null;
            }[];
            next?: string;
        };
        LedgerSummaryInput: {
            /** @description Year and month, such as 2026-03 */
            month: string;
            /** @description The time zone of the month, such as Europe/Berlin; UTC by default */
            time_zone?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description The part of a source's id before the two underscores */
            vendor?: string;
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        LedgerSummaryResult: {
            charges: {
                source: string;
                organization_tuid: string | null;
                /** @description Its current name */
                organization: string | null;
                cred_id: string | null;
                cred_name: string | null;
                credential: string;
                requests: number;
                charged: number;
                not_charged: number;
                unknown: number;
                live_tests: number;
                unpriced: number;
                currency: string | null;
                amount: string | null;
                amount_at_most: string | null;
            }[];
            totals: {
                currency: string | null;
                requests: number;
                unknown: number;
                unpriced: number;
                amount: string | null;
                amount_at_most: string | null;
                /** @description The sum of the unknown charges in full */
                amount_unknown: string | null;
            }[];
            /** @description The totals of each vendor, largest first */
            vendors: {
                vendor: string;
                currency: string | null;
                requests: number;
                unknown: number;
                unpriced: number;
                amount: string | null;
                amount_at_most: string | null;
                /** @description The sum of the unknown charges in full */
                amount_unknown: string | null;
            }[];
            next?: string;
        };
        LedgerUnknownInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Requests that were sent then or later; a day begins at midnight of --time-zone */
            from?: string;
            /** @description Requests that were sent before then */
            to?: string;
            /** @description The time zone of days, such as Europe/Berlin; UTC by default */
            time_zone?: string;
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        LedgerUnknownResult: {
            requests: {
                /** @description What `ledger settle-unknown` takes */
                charge: string;
                transaction_id: string;
                call: number;
                /** @description `null`: of the call no request is recorded */
                attempt: number | null;
                source: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                sent_at: string;
                price: string | null;
                currency: string | null;
                organization_tuid: string;
                /** @description Its current name */
                organization: string | null;
                cred_id: string | null;
                cred_name: string | null;
                rule: string;
                method: string | null;
                origin: string | null;
                fault: string | null;
            }[];
            next?: string;
        };
        LedgerVerifyInput: Record<string, unknown>;
        LedgerVerifyResult: {
            ledgers: {
                /** @enum {string} */
                place: "shared" | "journal";
                ok: number;
                without_checksum: number;
                damaged: number;
                missing: number;
                findings: {
                    what: string;
                    transaction_id: string | null;
                    run: number | null;
                }[];
                structure: string[];
                cannot_be_read: string | null;
            }[];
        };
        ObjectFindInput: {
            /** @description The beginning of an id, or part of a name */
            text: string;
        };
        ObjectFindResult: {
            matches: {
                /** @enum {string} */
                kind: "run" | "organization" | "workflow" | "token" | "credential" | "budget" | "operator" | "source" | "function";
                id: string;
                name: string | null;
                organization_tuid: string | null;
            }[];
        };
        ObjectNameInput: {
            /** @description An id */
            id: string[];
        };
        ObjectNameResult: {
            objects: {
                /** @enum {string} */
                kind: "organization" | "workflow" | "token" | "credential" | "budget" | "operator";
                id: string;
                name: string | null;
                organization_tuid: string | null;
            }[];
        };
        OpenapiInput: {
            /** @description Only this source */
            source?: string[];
            /** @description Only this function */
            function?: string[];
            /** @description The earlier contract, of this command or the file openapi.json of a release */
            against?: string;
        };
        OpenapiResult: Record<string, unknown> | {
            breaking: {
                path: string;
                change: string;
            }[];
        };
        OperatorCreateInput: {
            /** @description Name of the person or program, as the audit trail will show it */
            name: string;
            /**
             * @description The operator's role
             * @enum {unknown}
             */
            role: "viewer" | "operator" | "owner";
            /** @description How long the token is valid: a number and m, h, d or w, at most 36500d; by default until it is revoked */
            expires_in?: string;
        };
        OperatorCreateResult: {
            operator_id: string;
            operator_token: string;
        };
        OperatorListInput: {
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        OperatorListResult: {
            operators: {
                operator_id: string;
                name: string;
                /** @enum {string} */
                role: "viewer" | "operator" | "owner";
                /**
                 * @description How the operator authenticates: by a token of this service, or a login at the identity provider
                 * @enum {string}
                 */
                login: "token" | "identity_provider";
                /** @enum {string} */
                state: "active" | "revoked" | "expired";
                /**
                 * Format: date-time
                 * @description UTC
                 */
                created_at: string;
                expires_at: string | null;
                revoked_at: string | null;
                last_used_at: string | null;
            }[];
            next?: string;
        };
        OperatorRestoreInput: {
            /** @description The operator's name, or id (opr_…) */
            operator: string;
        };
        OperatorRestoreResult: {
            operator_id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "operator" | "owner";
            /**
             * @description How the operator authenticates: by a token of this service, or a login at the identity provider
             * @enum {string}
             */
            login: "token" | "identity_provider";
            /** @enum {string} */
            state: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
        };
        OperatorRevokeInput: {
            /** @description The operator's name, or id (opr_…) */
            operator: string;
        };
        OperatorRevokeResult: {
            operator_id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "operator" | "owner";
            /**
             * @description How the operator authenticates: by a token of this service, or a login at the identity provider
             * @enum {string}
             */
            login: "token" | "identity_provider";
            /** @enum {string} */
            state: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
        };
        OperatorSetInput: {
            /** @description The operator's name, or id (opr_…) */
            operator: string;
            /**
             * @description The new role
             * @enum {unknown}
             */
            role: "viewer" | "operator" | "owner";
        };
        OperatorSetResult: {
            operator_id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "operator" | "owner";
            /**
             * @description How the operator authenticates: by a token of this service, or a login at the identity provider
             * @enum {string}
             */
            login: "token" | "identity_provider";
            /** @enum {string} */
            state: "active" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            last_used_at: string | null;
        };
        OrgCreateInput: {
            /** @description The name of the organization for people */
            name: string;
        };
        OrgCreateResult: {
            organization_tuid: string;
        };
        OrgDisableInput: {
            /** @description Id of the organization (org_…) */
            org: string;
        };
        OrgDisableResult: {
            organization_tuid: string;
            name: string;
            disabled: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
        };
        OrgEnableInput: {
            /** @description Id of the organization (org_…) */
            org: string;
        };
        OrgEnableResult: {
            organization_tuid: string;
            name: string;
            disabled: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
        };
        OrgListInput: {
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        OrgListResult: {
            organizations: {
                organization_tuid: string;
                name: string;
                disabled: boolean;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                created_at: string;
            }[];
            next?: string;
        };
        OrgRenameInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /** @description The new name of the organization */
            name: string;
        };
        OrgRenameResult: {
            organization_tuid: string;
            name: string;
            disabled: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
        };
        OrgShowInput: {
            /** @description Id of the organization (org_…) */
            org: string;
        };
        OrgShowResult: {
            organization_tuid: string;
            name: string;
            disabled: boolean;
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
        };
        SourceCredentialsInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        SourceCredentialsResult: {
            credentials: {
                organization_tuid: string;
                /** @description Its name */
                organization: string;
                organization_disabled: boolean;
                cred_id: string;
                name: string | null;
                source: string;
                contexts: string[];
                regions: string[];
                default: boolean;
                disabled: boolean;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                created_at: string;
                fields?: string[] | null;
                /** @description Where the values of fields are that are kept elsewhere */
                references?: {
                    [key: string]: string;
                };
            }[];
            next?: string;
        };
        SourceDiffInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
            /** @description The earlier version: its number, its digest or the beginning of it, or latest */
            before: string;
            /** @description The later version: its number, its digest or the beginning of it, or latest */
            after: string;
        };
        SourceDiffResult: {
            source: string;
            before: {
                /** @description null: it was never registered */
                number: number | null;
                digest: string;
            };
            after: {
                /** @description null: it was never registered */
                number: number | null;
                digest: string;
            };
            files: {
                file: string;
                /** @enum {string} */
                change: "added" | "removed" | "changed";
                /** @description In the unified format; null if very many lines differ */
                diff: string | null;
            }[];
            /** @description The imported packages of a TypeScript source whose versions differ */
            packages: {
                package: string;
                before: string | null;
                after: string | null;
            }[];
        };
        SourceHealthInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
            /** @description Compare the calls from then on; the last 24 hours by default */
            from?: string;
            /** @description Compare the calls before then */
            to?: string;
            /** @description Objectives such as p95=800ms,success=99,match=80. The command fails if one is missed. Success is the share of the calls that did not fail at the vendor or in the source */
            slo?: string;
        };
        SourceHealthResult: {
            source: string;
            /**
             * Format: date-time
             * @description UTC
             */
            from: string;
            /**
             * Format: date-time
             * @description UTC
             */
            to: string;
            /**
             * Format: date-time
             * @description The start of the earlier time, which ends at `from`
             */
            since: string;
            figures: {
                /** @enum {string} */
                figure: "calls" | "match_rate" | "failure_rate" | "p50_ms" | "p95_ms" | "p99_ms";
                now: number | null;
                before: number | null;
                /** @description Whether the difference is large, and no chance */
                shifted: boolean;
            }[];
            /** @description The version of the source whose replies are compared */
            version: number | null;
            digest: string | null;
            /** @description Sampled replies */
            samples: number;
            /** @description Without any, paths cannot be compared yet */
            samples_before: number;
            /** @description The start of the hours that were compared */
            sampled_from: string | null;
            drift: {
                path: string;
                /** @enum {string} */
                kind: "missing" | "new" | "changed" | "shifted";
                /** @description A sentence for people, which may change */
                says: string;
                replies: number;
                /** @description The replies that have the parent of the path */
                of: number;
                types: string[];
                replies_before: number;
                of_before: number;
                types_before: string[];
            }[];
            slo: {
                objective: string;
                /** @description In ms, or in percent; null without such calls */
                value: number | null;
                /** @description null without such calls */
                met: boolean | null;
            }[];
        };
        SourceListInput: {
            /** @description Only sources of this vendor, which is the part of the id before the two underscores */
            vendor?: string;
        };
        SourceListResult: {
            sources: {
                source: string;
                title: string;
                /** @enum {string} */
                credential: "none" | "optional" | "required";
                leaves_machine: boolean;
                timeout_ms: number;
                /** @enum {string} */
                from: "catalog" | "package" | "project";
                /** @description The name of the package */
                package: string | null;
                /** @description Whether runs may call it */
                on: boolean;
                charge: {
                    /** @enum {string} */
                    model: "free" | "per_call" | "per_success" | "per_match";
                    /** @description Of several, the highest */
                    list_price: {
                        amount: string;
                        /** @description null for nothing, which needs none */
                        currency: string | null;
                    } | null;
                    /** @description The cost of a request if it depends on the request or the reply; the first row that applies counts */
                    rows: {
                        when: string | null;
                        list_price: {
                            amount: string;
                            /** @description null for nothing, which needs none */
                            currency: string | null;
                        } | null;
                    }[];
                };
                /** @description The date of its proof, `DATE, another version`, or `never`; null if it has no vendor */
                live_tested: string | null;
                input_names: string[];
                cases: number;
            }[];
        };
        SourceRunInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
            /**
             * @description The context of the run; dev by default
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /** @description The inputs */
            inputs?: {
                [key: string]: unknown;
            };
        };
        SourceRunResult: {
            transaction_id: string | null;
            mode?: string;
            status: {
                success: boolean;
                message: string;
                match: boolean;
                response_time_ms: number;
                failure?: {
                    kind: string;
                    retryable: boolean;
                    /** @enum {string} */
                    charged: "yes" | "no" | "unknown";
                    order_id?: string;
                    resumable?: boolean;
                };
            } | null;
            output: Record<string, unknown> | null;
        };
        SourceShowInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
        };
        SourceShowResult: {
            source: string;
            title: string;
            /** @description Markdown */
            description: string | null;
            docs: string | null;
            file: string;
            /** @enum {string} */
            from: "catalog" | "package" | "project";
            /** @description The name of the package */
            package: string | null;
            /** @description Whether runs may call it */
            on: boolean;
            leaves_machine: boolean;
            data: {
                name: string;
                licence: string;
                date: string;
                url?: string;
                /** @description `check --production` reports it when it is older */
                max_age_days?: number;
            }[];
            input_names: string[];
            /** @description JSON Schema */
            inputs: Record<string, unknown>;
            /** @enum {string} */
            credential: "none" | "optional" | "required";
            /** @description JSON Schema */
            credential_fields: Record<string, unknown> | null;
            /** @description The request: the recipe of a YAML file, or a sentence */
            asks: Record<string, unknown> | string;
            /** @description JSON Schema */
            output: Record<string, unknown> | null;
            /** @description What the three schemas describe, one row a field */
            fields: {
                inputs: {
                    /** @description Nested fields with a dot, items of a list with [] */
                    name: string;
                    type: string;
                    /** @enum {string} */
                    required: "yes" | "depends" | "no";
                    title: string | null;
                    description: string | null;
                    examples: unknown[];
                }[];
                credential: {
                    /** @description Nested fields with a dot, items of a list with [] */
                    name: string;
                    type: string;
                    /** @enum {string} */
                    required: "yes" | "depends" | "no";
                    title: string | null;
                    description: string | null;
                    examples: unknown[];
                }[];
                output: {
                    /** @description Nested fields with a dot, items of a list with [] */
                    name: string;
                    type: string;
                    /** @enum {string} */
                    required: "yes" | "depends" | "no";
                    title: string | null;
                    description: string | null;
                    examples: unknown[];
                }[];
            };
            origins: string[];
            regions: string[];
            charge: {
                /** @enum {string} */
                model: "free" | "per_call" | "per_success" | "per_match";
                /** @description Of several, the highest */
                list_price: {
                    amount: string;
                    /** @description null for nothing, which needs none */
                    currency: string | null;
                } | null;
                /** @description The cost of a request if it depends on the request or the reply; the first row that applies counts */
                rows: {
                    when: string | null;
                    list_price: {
                        amount: string;
                        /** @description null for nothing, which needs none */
                        currency: string | null;
                    } | null;
                }[];
            };
            limits: {
                timeout_ms: number;
                max_bytes: number;
                concurrency: number | null;
                rates: {
                    /** @enum {string} */
                    per: "credential" | "source";
                    max: number;
                    every_ms: number;
                }[];
            };
            /** @description Whether its credentials can be verified */
            verifies: boolean;
            /** @description The date of its proof, `DATE, another version`, or `never`; null if it has no vendor */
            live_tested: string | null;
            proof: {
                date: string;
                /** @description The version of the service */
                build: string;
                /** @description Whether the vendor had a record */
                match: boolean;
                /** @description Whether it is of another version of the source */
                outdated: boolean;
            } | null;
            /** @description Inputs for which its vendor is known to have a record */
            live_inputs: Record<string, unknown> | null;
            values: {
                name: string;
                value: unknown;
                from: string;
            }[];
            cases: {
                name: string;
                inputs: Record<string, unknown>;
                /** @description `record`, `no record`, or the kind of failure */
                expects: string;
            }[];
            /** @description The recipe of a YAML file as text */
            recipe: string | null;
        };
        SourceTestInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source?: string;
            /** @description Call the real vendor, once */
            live?: boolean;
            /** @description Only the case with this name. With --live: the case whose inputs are sent; by default those that the source declares under `live`, or those of its first case with a record */
            case?: string;
            /** @description With --live: an input to send instead of the case's inputs */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description Id of the organization (org_…) */
            org?: string;
            /** @description Id of the credential (cred_…) */
            credential?: string;
            /**
             * @description With --live: the context; dev by default
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
            /** @description With --live: agree that the vendor may bill this call */
            accept_charge?: boolean;
        };
        SourceTestResult: {
            passed: boolean;
            sources: {
                source: string;
                passed: boolean;
                cases: {
                    name: string;
                    /**
                     * @description `runner`: a standard case, which every source has
                     * @enum {string}
                     */
                    by: "author" | "runner";
                    passed: boolean;
                    differences: string[];
                    warnings: string[];
                }[];
                missing: string[];
                warnings: string[];
                text: string;
            }[];
            broken_files: string[];
            counts: string;
        } | {
            /** @constant */
            live: true;
            source: string;
            case: string | null;
            /** @enum {string} */
            inputs_from: "given" | "case" | "live";
            outcome: string;
            expected: string | null;
            message: string | null;
            /** @enum {string} */
            charged: "yes" | "no" | "unknown";
            requests: number;
            took_ms: number;
            passed: boolean;
            differences: string[];
            recorded_in: string | null;
        };
        SourceVersionsInput: {
            /** @description Id of the source, as `datarun source list` shows it */
            source: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        SourceVersionsResult: {
            versions: {
                /** @description Its number and the beginning of its digest */
                version: string;
                number: number;
                digest: string;
                /**
                 * Format: date-time
                 * @description When a service first loaded it; UTC
                 */
                first_used: string;
                /** @description The version of the deployment that first loaded it */
                build: string | null;
                /** @description The deployer, as `--deployed-by` named it */
                deployed_by: string | null;
                /** @enum {string} */
                from: "catalog" | "package" | "project";
                /** @description Whether this deployment runs it now, where no workflow names another */
                now: boolean;
            }[];
            workflows: {
                workflow: string;
                name: string;
                organization_tuid: string;
                /** @description Its number and the beginning of its digest */
                version: string;
                number: number | null;
                digest: string;
                /** @description The percentage of its runs; 100 pins the version */
                percent: number;
                /**
                 * @description shadow: the version also runs after the answer
                 * @enum {string}
                 */
                use: "run" | "shadow";
            }[];
            next?: string;
        };
        StateApplyInput: {
            /** @description The state file, in YAML or JSON */
            state: string;
            /** @description Disable, revoke or remove objects with a key that the file does not describe, and those it replaces */
            prune?: boolean;
            /** @description `store_digest` of a plan: refuses if an object with a key has changed since */
            store_digest?: string;
            /** @description The values that a plan needs, by where they are: env:NAME or file:PATH */
            secrets?: {
                [key: string]: unknown;
            };
        };
        StateApplyResult: {
            changes: {
                /** @enum {string} */
                action: "create" | "adopt" | "update" | "replace" | "remove";
                /** @enum {string} */
                kind: "organization" | "workflow" | "credential" | "token" | "budget" | "operator";
                /** @description The key of the organization, if it has one, and that of the object */
                object: string;
                id: string | null;
                /** @description The object was changed since a file was last applied */
                drift: boolean;
                /** @description It takes something away, so that it needs `prune` */
                needs_prune: boolean;
                fields: {
                    field: string;
                    before: unknown;
                    after: unknown;
                }[];
            }[];
            file_digest: string;
            /** @description New tokens, which are shown only here */
            issued: {
                /** @enum {string} */
                kind: "token" | "operator";
                object: string;
                id: string;
                token: string;
            }[];
            /** @description Why the next change failed; the changes before it are made */
            problem: string | null;
        };
        StateExportInput: {
            /** @description Also objects without a key, with one that they can have */
            adopt?: boolean;
        };
        StatePlanInput: {
            /** @description The state file, in YAML or JSON */
            state: string;
            /** @description Disable, revoke or remove objects with a key that the file does not describe, and those it replaces */
            prune?: boolean;
        };
        StatePlanResult: {
            changes: {
                /** @enum {string} */
                action: "create" | "adopt" | "update" | "replace" | "remove";
                /** @enum {string} */
                kind: "organization" | "workflow" | "credential" | "token" | "budget" | "operator";
                /** @description The key of the organization, if it has one, and that of the object */
                object: string;
                id: string | null;
                /** @description The object was changed since a file was last applied */
                drift: boolean;
                /** @description It takes something away, so that it needs `prune` */
                needs_prune: boolean;
                fields: {
                    field: string;
                    before: unknown;
                    after: unknown;
                }[];
            }[];
            /** @description Objects with a key that the file does not describe, which stay without `prune` */
            kept: {
                kind: string;
                object: string;
                id: string;
            }[];
            /** @description How many changes undo what was changed since a file was last applied */
            drifted: number;
            /** @description SHA-256 of the file */
            file_digest: string;
            /** @description Changes whenever an object with a key changes */
            store_digest: string;
            /** @description Where the values of new credentials are: `env:NAME` or `file:PATH` */
            secrets: string[];
        };
        StoreBackupInput: {
            /** @description The folder that backups are kept in */
            dir: string;
            /** @description Removes older complete backups of the same data directory, so that this many are left */
            keep?: number;
        };
        StoreBackupResult: {
            backup: string;
            /**
             * Format: date-time
             * @description UTC
             */
            began_at: string;
            /** @enum {string} */
            store: "embedded" | "postgresql";
            bytes: number;
            removed: string[];
        };
        TokenCreateInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /** @description What the token is for */
            name?: string;
            /** @description How long it is valid: a number and m, h, d or w, at most 36500d; by default until it is revoked */
            expires_in?: string;
        };
        TokenCreateResult: {
            token_id: string;
            access_token: string;
        };
        TokenListInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /**
             * @description Only those in this state
             * @enum {unknown}
             */
            state?: "active" | "revoked" | "expired";
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        TokenListResult: {
            tokens: {
                token_id: string;
                name: string;
                /** @enum {string} */
                state: "active" | "revoked" | "expired";
                /**
                 * Format: date-time
                 * @description UTC
                 */
                created_at: string;
                expires_at: string | null;
                revoked_at: string | null;
                last_used_at: string | null;
            }[];
            next?: string;
        };
        TokenRevokeInput: {
            /** @description Id of the token (tok_…) */
            token_id: string;
        };
        TokenRevokeResult: {
            token_id: string;
            /**
             * Format: date-time
             * @description UTC
             */
            revoked_at: string;
        };
        WorkflowCreateInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /** @description What the workflow is for */
            name?: string;
            /** @description If no credential is named, use the newest active stored one */
            auto_credentials?: boolean;
            /** @description Failed status entries say what kind of failure it was, whether to repeat it, and whether it was charged; on for a new workflow */
            failure_details?: boolean;
            /** @description Credentials sent in the request are masked in the answer's config */
            mask_credentials?: boolean;
            /** @description No call leaves the machine, and answers are marked as simulated */
            simulated?: boolean;
        };
        WorkflowCreateResult: {
            workflow: string;
        };
        WorkflowDisableInput: {
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
        };
        WorkflowDisableResult: {
            workflow: string;
            name: string;
            disabled: boolean;
            auto_credentials: boolean;
            failure_details: boolean;
            mask_credentials: boolean;
            simulated: boolean;
            /** @description The versions that its runs use in place of the loaded ones, and the percentage of runs that do */
            versions: {
                /** @enum {string} */
                kind: "function" | "source" | "shadow";
                id: string;
                number: number | null;
                digest: string;
                percent: number;
            }[];
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
        };
        WorkflowEnableInput: {
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
        };
        WorkflowEnableResult: {
            workflow: string;
            name: string;
            disabled: boolean;
            auto_credentials: boolean;
            failure_details: boolean;
            mask_credentials: boolean;
            simulated: boolean;
            /** @description The versions that its runs use in place of the loaded ones, and the percentage of runs that do */
            versions: {
                /** @enum {string} */
                kind: "function" | "source" | "shadow";
                id: string;
                number: number | null;
                digest: string;
                percent: number;
            }[];
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
        };
        WorkflowListInput: {
            /** @description Id of the organization (org_…) */
            org: string;
            /** @description Only workflows whose name begins with this */
            name?: string;
            /** @description Only workflows whose id begins with this */
            id?: string;
            /** @description How many to show; 100 by default */
            limit?: number;
            /** @description Where to continue: the value that the previous list returned */
            after?: string;
        };
        WorkflowListResult: {
            workflows: {
                workflow: string;
                name: string;
                disabled: boolean;
                auto_credentials: boolean;
                failure_details: boolean;
                mask_credentials: boolean;
                simulated: boolean;
                /** @description The versions that its runs use in place of the loaded ones, and the percentage of runs that do */
                versions: {
                    /** @enum {string} */
                    kind: "function" | "source" | "shadow";
                    id: string;
                    number: number | null;
                    digest: string;
                    percent: number;
                }[];
                /**
                 * Format: date-time
                 * @description UTC
                 */
                created_at: string;
            }[];
            next?: string;
        };
        WorkflowPlanInput: {
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
            /** @description A source to call */
            source?: string[];
            /**
             * @description The context of the run; dev by default
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
            /** @description The inputs */
            inputs?: {
                [key: string]: unknown;
            };
        };
        WorkflowPlanResult: {
            workflow: {
                workflow: string;
                name: string;
                disabled: boolean;
                auto_credentials: boolean;
                failure_details: boolean;
                mask_credentials: boolean;
                simulated: boolean;
                /** @description The versions that its runs use in place of the loaded ones, and the percentage of runs that do */
                versions: {
                    /** @enum {string} */
                    kind: "function" | "source" | "shadow";
                    id: string;
                    number: number | null;
                    digest: string;
                    percent: number;
                }[];
                /**
                 * Format: date-time
                 * @description UTC
                 */
                created_at: string;
            };
            organization_tuid: string;
            organization: string;
            context: string;
            problem: string | null;
            at_most: {
                amount: string;
                currency: string;
            }[];
            unknown_cost: string[];
            sources: {
                source: string;
                known: boolean;
                /** @description Whether runs may call it; the setting `catalog` decides */
                on: boolean;
                title: string | null;
                problem: string | null;
                input_problem: {
                    path: string;
                    message: string;
                } | null;
                /** @enum {string} */
                needs_credential: "none" | "optional" | "required";
                rule: string;
                cred_id: string | null;
                cred_name: string | null;
                /** @enum {string} */
                bills: "free" | "per_call" | "per_success" | "per_match";
                /** @enum {string} */
                cost: "nothing" | "known" | "unknown";
                at_most: string | null;
                currency: string | null;
                price_from: ("credential" | "source") | null;
                timeout_ms: number;
                input_names: string[];
                inputs: unknown;
                example: unknown;
            }[];
        };
        WorkflowPlanRowsInput: {
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
            /** @description The file */
            rows: string;
            /**
             * @description csv by default
             * @enum {unknown}
             */
            format?: "csv" | "jsonl";
            /** @description A source to call */
            source: string[];
            /**
             * @description The context of the runs; dev by default
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
            /** @description The column for an input, if their names differ */
            map?: string[];
        };
        WorkflowPlanRowsResult: {
            simulated: boolean;
            problem: string | null;
            columns: string[];
            /** @description The column of each input */
            map: Record<string, unknown>;
            remarks: string[];
            rows: {
                /** @description Counts from 1 */
                row: number;
                /** @description Why the row cannot be run */
                problem: string | null;
                inputs: Record<string, unknown>;
                refused: {
                    source: string;
                    problem: string;
                }[];
            }[];
            sources: {
                source: string;
                /** @description Why no run would call it */
                problem: string | null;
                /** @description Rows whose inputs it accepts */
                rows: number;
                at_most: string | null;
                currency: string | null;
            }[];
            at_most: {
                amount: string;
                currency: string;
            }[];
            unknown_cost: string[];
        };
        WorkflowRunInput: {
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
            /** @description A source to call */
            source: string[];
            /**
             * @description The context of the run; dev by default
             * @enum {unknown}
             */
            context?: "prod" | "test" | "dev";
            /** @description The inputs; each source gets those that it declares */
            inputs?: {
                [key: string]: unknown;
            };
        };
        WorkflowRunResult: {
            transaction_id: string;
            config: Record<string, unknown>;
            outputs: Record<string, unknown>;
            status: Record<string, unknown>;
            response_time_ms: number;
        };
        WorkflowSetInput: {
            /** @description Id of the workflow (wfl_…) */
            workflow: string;
            /** @description What the workflow is for */
            name?: string;
            /** @description If no credential is named, use the newest active stored one */
            auto_credentials?: boolean;
            /** @description Failed status entries say what kind of failure it was, whether to repeat it, and whether it was charged; on for a new workflow */
            failure_details?: boolean;
            /** @description Credentials sent in the request are masked in the answer's config */
            mask_credentials?: boolean;
            /** @description The version of a function for this workflow: ID=VERSION, ID=VERSION@PERCENT% for a share of its runs, or ID=latest for the loaded version again. VERSION is a number, a digest or the beginning of one */
            function?: string[];
            /** @description The version of a source for this workflow: ID=VERSION, ID=VERSION@PERCENT% for a share of its runs, or ID=latest for the loaded version again. VERSION is a number, a digest or the beginning of one */
            source?: string[];
            /** @description The version of a function whose result is compared with that of this workflow's runs: ID=VERSION, or ID=off. `function shadow` shows the results */
            shadow?: string[];
            /** @description The percentage of runs that are compared with the version of --shadow; 100 by default */
            shadow_sample?: number;
        };
        WorkflowSetResult: {
            workflow: string;
            name: string;
            disabled: boolean;
            auto_credentials: boolean;
            failure_details: boolean;
            mask_credentials: boolean;
            simulated: boolean;
            /** @description The versions that its runs use in place of the loaded ones, and the percentage of runs that do */
            versions: {
                /** @enum {string} */
                kind: "function" | "source" | "shadow";
                id: string;
                number: number | null;
                digest: string;
                percent: number;
            }[];
            /**
             * Format: date-time
             * @description UTC
             */
            created_at: string;
        };
        LiveEvent: {
            /**
             * Format: date-time
             * @description UTC
             */
            at: string;
            /**
             * Format: date-time
             * @description When the process started. All figures of runs, sources and breakers are those of this process since then
             */
            started_at: string;
            ready: boolean;
            /** @description Why no run is accepted */
            not_ready: string[];
            /** @description Conditions that will soon stop the service from accepting runs */
            warnings: string[];
            runs: {
                under_way: number;
                /** @description `runs` and their times without simulated ones; `failed`: with a call or a function that failed; `rejected`: without one, but with a rejected call. Times are those of runs that sent a request, or had none to send */
                minute: {
                    runs: number;
                    failed: number;
                    rejected: number;
                    simulated: number;
                    p50_ms: number | null;
                    p99_ms: number | null;
                };
                hour: {
                    runs: number;
                    failed: number;
                    rejected: number;
                    simulated: number;
                    p50_ms: number | null;
                    p99_ms: number | null;
                };
                /** @description One value for each minute, the oldest first, up to the last complete minute; `null` for minutes before the process started */
                last_hour: {
                    /**
                     * Format: date-time
                     * @description UTC
                     */
                    until: string;
                    every_ms: number;
                    runs: (number | null)[];
                    failed: (number | null)[];
                    rejected: (number | null)[];
                    p50_ms: (number | null)[];
                    p99_ms: (number | null)[];
                };
            };
            /** @description Those that were called in the last hour, by id. Calls that named a source which does not exist or is off are counted together, as `(unknown)` */
            sources: {
                source: string;
                minute: {
                    calls: number;
                    match: number;
                    no_match: number;
                    /** @description At the vendor, or in the source's own code */
                    failed: number;
                    /** @description By this service, for instance by a limit, a budget or an invalid input */
                    rejected: number;
                    /** @description Rejected because no credential fits */
                    no_credential: number;
                    p50_ms: number | null;
                    p99_ms: number | null;
                };
                hour: {
                    calls: number;
                    match: number;
                    no_match: number;
                    /** @description At the vendor, or in the source's own code */
                    failed: number;
                    /** @description By this service, for instance by a limit, a budget or an invalid input */
                    rejected: number;
                    /** @description Rejected because no credential fits */
                    no_credential: number;
                    p50_ms: number | null;
                    p99_ms: number | null;
                };
                /** @description One value for each five minutes, the oldest first; the last interval is not over. `null` for intervals before the process started. `failed` does not include rejected calls */
                last_hour: {
                    calls: (number | null)[];
                    failed: (number | null)[];
                };
            }[];
            breakers: {
                source: string;
                organization_tuid: string;
                open_ms: number;
            }[];
            ledger: {
                unavailable: string | null;
                pending_runs: number;
                lag_ms: number;
                undrained_runs: number;
                journal_bytes: number;
                journal_bytes_max: number;
                journal_days_left: number | null;
            };
            unknown_charges: {
                charges: number;
                is_more: boolean;
                since: string | null;
            } | null;
            budgets: {
                budget: string;
                organization_tuid: string;
                workflow: string | null;
                source: string | null;
                cred_id: string | null;
                /** @enum {string} */
                per: "day" | "month";
                /** @description Where its days and months begin */
                time_zone: string;
                limit: string;
                warn_percent: number;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                counts_from: string;
                used: string;
                leased: string;
                /** @description Leased by processes that have not reported for a minute: they are dead, or cannot reach the store */
                silent: string;
                left: string;
                nearly_used: boolean;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                period_from: string;
                /**
                 * Format: date-time
                 * @description UTC
                 */
                period_to: string;
                /** @description How many calls it has rejected since `rejects_since`, counted up to 1,000; `null`: not known */
                rejected_calls: number | null;
                /** @description The first call that it rejected in this period, and since its limit was last set; `null`: none */
                rejects_since: string | null;
                used_percent: number;
            }[] | null;
            attention: {
                /** @enum {string} */
                what: "not_ready" | "unreadable" | "budget_rejects" | "keys_unreadable" | "journal_damaged" | "refused_runs" | "budget_nearly_used" | "budget_silent" | "source_failing" | "credential_refused" | "credential_missing" | "charges_unknown" | "breaker_open" | "source_slow" | "source_drift" | "ledger_lag" | "ledger_undrained" | "journal_fills_up" | "failed_logins";
                /** @enum {string} */
                severity: "critical" | "warning";
                /** @description A sentence for people, which may change */
                says: string;
                /**
                 * @description The page of the console that shows it
                 * @enum {string}
                 */
                page: "overview" | "runs" | "sources" | "credentials" | "money" | "audit";
                /** @description What selects it on that page */
                filter: {
                    [key: string]: string;
                };
                /** @description A command that shows it */
                command: string | null;
            }[];
            /**
             * Format: date-time
             * @description When charges, budgets and items that need attention were read
             */
            looked_at: string;
        };
        /** @description The data of an event `call`: a call of the run that a command makes has ended. Its output comes with the result. */
        EndedCall: {
            source: string;
            success: boolean;
            match: boolean;
            took_ms: number;
        };
    };
}
type Schemas = components["schemas"];

/** What the stream of `GET /api/live` tells. */
export type LiveEvent = Schemas["LiveEvent"];

/** What is told of a run that is under way: how a call of it ended. */
export type EndedCall = Schemas["EndedCall"];

export interface Verbs {
  "attention show": { input: Schemas["AttentionShowInput"]; result: Schemas["AttentionShowResult"] };
  "audit export": { input: Schemas["AuditExportInput"]; result: string };
  "audit list": { input: Schemas["AuditListInput"]; result: Schemas["AuditListResult"] };
  "budget list": { input: Schemas["BudgetListInput"]; result: Schemas["BudgetListResult"] };
  "budget recount": { input: Schemas["BudgetRecountInput"]; result: Schemas["BudgetRecountResult"] };
  "budget remove": { input: Schemas["BudgetRemoveInput"]; result: Schemas["BudgetRemoveResult"] };
  "budget set": { input: Schemas["BudgetSetInput"]; result: Schemas["BudgetSetResult"] };
  "budget show": { input: Schemas["BudgetShowInput"]; result: Schemas["BudgetShowResult"] };
  "credential create": { input: Schemas["CredentialCreateInput"]; result: Schemas["CredentialCreateResult"] };
  "credential delete": { input: Schemas["CredentialDeleteInput"]; result: Schemas["CredentialDeleteResult"] };
  "credential disable": { input: Schemas["CredentialDisableInput"]; result: Schemas["CredentialDisableResult"] };
  "credential enable": { input: Schemas["CredentialEnableInput"]; result: Schemas["CredentialEnableResult"] };
  "credential explain": { input: Schemas["CredentialExplainInput"]; result: Schemas["CredentialExplainResult"] };
  "credential list": { input: Schemas["CredentialListInput"]; result: Schemas["CredentialListResult"] };
  "credential matrix": { input: Schemas["CredentialMatrixInput"]; result: Schemas["CredentialMatrixResult"] };
  "credential price current": { input: Schemas["CredentialPriceCurrentInput"]; result: Schemas["CredentialPriceCurrentResult"] };
  "credential price list": { input: Schemas["CredentialPriceListInput"]; result: Schemas["CredentialPriceListResult"] };
  "credential price remove": { input: Schemas["CredentialPriceRemoveInput"]; result: Schemas["CredentialPriceRemoveResult"] };
  "credential price set": { input: Schemas["CredentialPriceSetInput"]; result: Schemas["CredentialPriceSetResult"] };
  "credential rename": { input: Schemas["CredentialRenameInput"]; result: Schemas["CredentialRenameResult"] };
  "credential verify": { input: Schemas["CredentialVerifyInput"]; result: Schemas["CredentialVerifyResult"] };
  "function activity": { input: Schemas["FunctionActivityInput"]; result: Schemas["FunctionActivityResult"] };
  "function diff": { input: Schemas["FunctionDiffInput"]; result: Schemas["FunctionDiffResult"] };
  "function list": { input: Schemas["FunctionListInput"]; result: Schemas["FunctionListResult"] };
  "function reset-shadow": { input: Schemas["FunctionResetShadowInput"]; result: Schemas["FunctionResetShadowResult"] };
  "function rollback": { input: Schemas["FunctionRollbackInput"]; result: Schemas["FunctionRollbackResult"] };
  "function run": { input: Schemas["FunctionRunInput"]; result: Schemas["FunctionRunResult"] };
  "function shadow": { input: Schemas["FunctionShadowInput"]; result: Schemas["FunctionShadowResult"] };
  "function show": { input: Schemas["FunctionShowInput"]; result: Schemas["FunctionShowResult"] };
  "function test": { input: Schemas["FunctionTestInput"]; result: Schemas["FunctionTestResult"] };
  "function versions": { input: Schemas["FunctionVersionsInput"]; result: Schemas["FunctionVersionsResult"] };
  "keys discard": { input: Schemas["KeysDiscardInput"]; result: Schemas["KeysDiscardResult"] };
  "keys remove-old": { input: Schemas["KeysRemoveOldInput"]; result: Schemas["KeysRemoveOldResult"] };
  "keys rotate": { input: Schemas["KeysRotateInput"]; result: Schemas["KeysRotateResult"] };
  "keys verify": { input: Schemas["KeysVerifyInput"]; result: Schemas["KeysVerifyResult"] };
  "ledger activity": { input: Schemas["LedgerActivityInput"]; result: Schemas["LedgerActivityResult"] };
  "ledger compare": { input: Schemas["LedgerCompareInput"]; result: Schemas["LedgerCompareResult"] };
  "ledger count": { input: Schemas["LedgerCountInput"]; result: Schemas["LedgerCountResult"] };
  "ledger export": { input: Schemas["LedgerExportInput"]; result: string };
  "ledger history": { input: Schemas["LedgerHistoryInput"]; result: Schemas["LedgerHistoryResult"] };
  "ledger list": { input: Schemas["LedgerListInput"]; result: Schemas["LedgerListResult"] };
  "ledger prune": { input: Schemas["LedgerPruneInput"]; result: Schemas["LedgerPruneResult"] };
  "ledger reconcile": { input: Schemas["LedgerReconcileInput"]; result: Schemas["LedgerReconcileResult"] };
  "ledger settle": { input: Schemas["LedgerSettleInput"]; result: Schemas["LedgerSettleResult"] };
  "ledger settle-unknown": { input: Schemas["LedgerSettleUnknownInput"]; result: Schemas["LedgerSettleUnknownResult"] };
  "ledger show": { input: Schemas["LedgerShowInput"]; result: Schemas["LedgerShowResult"] };
  "ledger spend": { input: Schemas["LedgerSpendInput"]; result: Schemas["LedgerSpendResult"] };
  "ledger summary": { input: Schemas["LedgerSummaryInput"]; result: Schemas["LedgerSummaryResult"] };
  "ledger unknown": { input: Schemas["LedgerUnknownInput"]; result: Schemas["LedgerUnknownResult"] };
  "ledger verify": { input: Schemas["LedgerVerifyInput"]; result: Schemas["LedgerVerifyResult"] };
  "object find": { input: Schemas["ObjectFindInput"]; result: Schemas["ObjectFindResult"] };
  "object name": { input: Schemas["ObjectNameInput"]; result: Schemas["ObjectNameResult"] };
  "openapi": { input: Schemas["OpenapiInput"]; result: Schemas["OpenapiResult"] };
  "operator create": { input: Schemas["OperatorCreateInput"]; result: Schemas["OperatorCreateResult"] };
  "operator list": { input: Schemas["OperatorListInput"]; result: Schemas["OperatorListResult"] };
  "operator restore": { input: Schemas["OperatorRestoreInput"]; result: Schemas["OperatorRestoreResult"] };
  "operator revoke": { input: Schemas["OperatorRevokeInput"]; result: Schemas["OperatorRevokeResult"] };
  "operator set": { input: Schemas["OperatorSetInput"]; result: Schemas["OperatorSetResult"] };
  "org create": { input: Schemas["OrgCreateInput"]; result: Schemas["OrgCreateResult"] };
  "org disable": { input: Schemas["OrgDisableInput"]; result: Schemas["OrgDisableResult"] };
  "org enable": { input: Schemas["OrgEnableInput"]; result: Schemas["OrgEnableResult"] };
  "org list": { input: Schemas["OrgListInput"]; result: Schemas["OrgListResult"] };
  "org rename": { input: Schemas["OrgRenameInput"]; result: Schemas["OrgRenameResult"] };
  "org show": { input: Schemas["OrgShowInput"]; result: Schemas["OrgShowResult"] };
  "source credentials": { input: Schemas["SourceCredentialsInput"]; result: Schemas["SourceCredentialsResult"] };
  "source diff": { input: Schemas["SourceDiffInput"]; result: Schemas["SourceDiffResult"] };
  "source health": { input: Schemas["SourceHealthInput"]; result: Schemas["SourceHealthResult"] };
  "source list": { input: Schemas["SourceListInput"]; result: Schemas["SourceListResult"] };
  "source run": { input: Schemas["SourceRunInput"]; result: Schemas["SourceRunResult"] };
  "source show": { input: Schemas["SourceShowInput"]; result: Schemas["SourceShowResult"] };
  "source test": { input: Schemas["SourceTestInput"]; result: Schemas["SourceTestResult"] };
  "source versions": { input: Schemas["SourceVersionsInput"]; result: Schemas["SourceVersionsResult"] };
  "state apply": { input: Schemas["StateApplyInput"]; result: Schemas["StateApplyResult"] };
  "state export": { input: Schemas["StateExportInput"]; result: string };
  "state plan": { input: Schemas["StatePlanInput"]; result: Schemas["StatePlanResult"] };
  "store backup": { input: Schemas["StoreBackupInput"]; result: Schemas["StoreBackupResult"] };
  "token create": { input: Schemas["TokenCreateInput"]; result: Schemas["TokenCreateResult"] };
  "token list": { input: Schemas["TokenListInput"]; result: Schemas["TokenListResult"] };
  "token revoke": { input: Schemas["TokenRevokeInput"]; result: Schemas["TokenRevokeResult"] };
  "workflow create": { input: Schemas["WorkflowCreateInput"]; result: Schemas["WorkflowCreateResult"] };
  "workflow disable": { input: Schemas["WorkflowDisableInput"]; result: Schemas["WorkflowDisableResult"] };
  "workflow enable": { input: Schemas["WorkflowEnableInput"]; result: Schemas["WorkflowEnableResult"] };
  "workflow list": { input: Schemas["WorkflowListInput"]; result: Schemas["WorkflowListResult"] };
  "workflow plan": { input: Schemas["WorkflowPlanInput"]; result: Schemas["WorkflowPlanResult"] };
  "workflow plan-rows": { input: Schemas["WorkflowPlanRowsInput"]; result: Schemas["WorkflowPlanRowsResult"] };
  "workflow run": { input: Schemas["WorkflowRunInput"]; result: Schemas["WorkflowRunResult"] };
  "workflow set": { input: Schemas["WorkflowSetInput"]; result: Schemas["WorkflowSetResult"] };
}

export const ROLES = ["viewer", "operator", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** The least role that may use a verb. */
export const ROLE_OF: Readonly<Record<keyof Verbs, Role>> = {
  "attention show": "viewer",
  "audit export": "viewer",
  "audit list": "viewer",
  "budget list": "viewer",
  "budget recount": "owner",
  "budget remove": "owner",
  "budget set": "owner",
  "budget show": "viewer",
  "credential create": "operator",
  "credential delete": "operator",
  "credential disable": "operator",
  "credential enable": "operator",
  "credential explain": "viewer",
  "credential list": "viewer",
  "credential matrix": "viewer",
  "credential price current": "viewer",
  "credential price list": "viewer",
  "credential price remove": "owner",
  "credential price set": "owner",
  "credential rename": "operator",
  "credential verify": "operator",
  "function activity": "viewer",
  "function diff": "viewer",
  "function list": "viewer",
  "function reset-shadow": "operator",
  "function rollback": "operator",
  "function run": "operator",
  "function shadow": "viewer",
  "function show": "viewer",
  "function test": "operator",
  "function versions": "viewer",
  "keys discard": "owner",
  "keys remove-old": "owner",
  "keys rotate": "owner",
  "keys verify": "viewer",
  "ledger activity": "viewer",
  "ledger compare": "viewer",
  "ledger count": "viewer",
  "ledger export": "viewer",
  "ledger history": "viewer",
  "ledger list": "viewer",
  "ledger prune": "owner",
  "ledger reconcile": "operator",
  "ledger settle": "operator",
  "ledger settle-unknown": "operator",
  "ledger show": "viewer",
  "ledger spend": "viewer",
  "ledger summary": "viewer",
  "ledger unknown": "viewer",
  "ledger verify": "viewer",
  "object find": "viewer",
  "object name": "viewer",
  "openapi": "viewer",
  "operator create": "owner",
  "operator list": "viewer",
  "operator restore": "owner",
  "operator revoke": "owner",
  "operator set": "owner",
  "org create": "operator",
  "org disable": "operator",
  "org enable": "operator",
  "org list": "viewer",
  "org rename": "operator",
  "org show": "viewer",
  "source credentials": "viewer",
  "source diff": "viewer",
  "source health": "viewer",
  "source list": "viewer",
  "source run": "operator",
  "source show": "viewer",
  "source test": "operator",
  "source versions": "viewer",
  "state apply": "owner",
  "state export": "viewer",
  "state plan": "viewer",
  "store backup": "owner",
  "token create": "operator",
  "token list": "viewer",
  "token revoke": "operator",
  "workflow create": "operator",
  "workflow disable": "operator",
  "workflow enable": "operator",
  "workflow list": "viewer",
  "workflow plan": "viewer",
  "workflow plan-rows": "viewer",
  "workflow run": "operator",
  "workflow set": "operator",
};

/** Whether a verb changes anything. */
export const CHANGES: Readonly<Record<keyof Verbs, boolean>> = {
  "attention show": false,
  "audit export": false,
  "audit list": false,
  "budget list": false,
  "budget recount": true,
  "budget remove": true,
  "budget set": true,
  "budget show": false,
  "credential create": true,
  "credential delete": true,
  "credential disable": true,
  "credential enable": true,
  "credential explain": false,
  "credential list": false,
  "credential matrix": false,
  "credential price current": false,
  "credential price list": false,
  "credential price remove": true,
  "credential price set": true,
  "credential rename": true,
  "credential verify": true,
  "function activity": false,
  "function diff": false,
  "function list": false,
  "function reset-shadow": true,
  "function rollback": true,
  "function run": true,
  "function shadow": false,
  "function show": false,
  "function test": false,
  "function versions": false,
  "keys discard": true,
  "keys remove-old": true,
  "keys rotate": true,
  "keys verify": false,
  "ledger activity": false,
  "ledger compare": false,
  "ledger count": false,
  "ledger export": false,
  "ledger history": false,
  "ledger list": false,
  "ledger prune": true,
  "ledger reconcile": true,
  "ledger settle": true,
  "ledger settle-unknown": true,
  "ledger show": false,
  "ledger spend": false,
  "ledger summary": false,
  "ledger unknown": false,
  "ledger verify": false,
  "object find": false,
  "object name": false,
  "openapi": false,
  "operator create": true,
  "operator list": false,
  "operator restore": true,
  "operator revoke": true,
  "operator set": true,
  "org create": true,
  "org disable": true,
  "org enable": true,
  "org list": false,
  "org rename": true,
  "org show": false,
  "source credentials": false,
  "source diff": false,
  "source health": false,
  "source list": false,
  "source run": true,
  "source show": false,
  "source test": true,
  "source versions": false,
  "state apply": true,
  "state export": false,
  "state plan": false,
  "store backup": true,
  "token create": true,
  "token list": false,
  "token revoke": true,
  "workflow create": true,
  "workflow disable": true,
  "workflow enable": true,
  "workflow list": false,
  "workflow plan": false,
  "workflow plan-rows": false,
  "workflow run": true,
  "workflow set": true,
};
