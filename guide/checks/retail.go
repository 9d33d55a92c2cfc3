package checks

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy/retail"
)

// retailVocabulary offers what the shop's policy says about a request.
func retailVocabulary() guide.Vocabulary {
	return guide.Vocabulary{
		Facts:   func(t *guide.Trace) map[string]any { return retailFacts(retail.KnownFrom(t)) },
		Helpers: retailHelpers(),
		Targets: map[string]string{
			"cancel_pending_order": "order_id", "exchange_delivered_order_items": "order_id", "return_delivered_order_items": "order_id",
			"modify_pending_order_address": "order_id", "modify_pending_order_items": "order_id", "modify_pending_order_payment": "order_id",
			"modify_user_address": "user_id",
		},
		Now: retail.Now(),
	}
}

// retailHelpers declares the functions that README.md documents. Each takes the request and sees what was known when
// the request was carried out, or what is known now.
func retailHelpers() []cel.EnvOption {
	var out []cel.EnvOption
	add := func(name string, gives *cel.Type, run func(r *retail.Request) any) {
		takes := []*cel.Type{cel.MapType(cel.StringType, cel.DynType)}
		out = append(out, guide.TraceFunction(name, takes, gives, func(t *guide.Trace, args []ref.Val) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(run(retail.NewRequest(t, requestOf(args[0]))))
		})...)
	}
	verdicts := cel.MapType(cel.StringType, cel.BoolType)
	add("order_status", cel.StringType, func(r *retail.Request) any { return r.Status() })
	add("order_own", cel.BoolType, func(r *retail.Request) any { return r.Owns(r.Order()) })
	add("swap", verdicts, func(r *retail.Request) any { return r.SwapVerdict() })
	add("method", verdicts, func(r *retail.Request) any { return r.MethodVerdict() })
	add("items_in_order", cel.BoolType, func(r *retail.Request) any { return r.ItemsInOrder() })
	add("reason_given", cel.BoolType, func(r *retail.Request) any { return r.ReasonGiven() })
	add("address_given", cel.BoolType, func(r *retail.Request) any { return r.AddressGiven() })
	add("reminded", cel.BoolType, func(r *retail.Request) any { return r.Reminded() })
	add("summarised", cel.BoolType, func(r *retail.Request) any { return r.Summarised() })
	add("agreed", cel.BoolType, func(r *retail.Request) any { return r.Agreed() })
	return out
}

// retailFacts is what is known as checks see it.
func retailFacts(k *retail.Known) map[string]any {
	orders := map[string]any{}
	for id, o := range k.Orders {
		orders[id] = map[string]any{"status": o.Status, "own": k.Owns(o)}
	}
	return map[string]any{"customer": k.Customer, "profile_read": k.Profile() != nil, "orders": orders}
}
