//! Which receivers are told of a situation change: those subscribed to the entity, none where triggers are off, as in an
//! import without triggers. A mirror and the demo write with `insert_silent_entries` and never ask here.

use crate::actor_context::ActorContext;
use domain::{Entity, ReceiverCode};

pub fn list_notified_receivers(context: &ActorContext<'_>, entity: Entity) -> Vec<ReceiverCode> {
    if context.suppresses_triggers { Vec::new() } else { context.registers.receivers_for(entity) }
}
